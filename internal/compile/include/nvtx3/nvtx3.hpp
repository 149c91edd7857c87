// NVTX for C++: ranges and marks as objects over the functions of nvToolsExt.h, as the NVTX C++ API Reference describes them.
#ifndef SILICA_NVTX3_HPP
#define SILICA_NVTX3_HPP

#include "nvToolsExt.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

// A domain is named by a type with a member name, for all of the program, or is the global one.
class domain {
public:
    struct global {};

    domain(domain const &) = delete;
    domain &operator=(domain const &) = delete;

    template <class D = global> static domain const &get() noexcept
    {
        static domain const d{D::name};
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept { return handle; }

private:
    explicit domain(char const *name) noexcept : handle{nvtxDomainCreateA(name)} {}
    explicit domain(wchar_t const *name) noexcept : handle{nvtxDomainCreateW(name)} {}
    explicit domain(std::string const &name) noexcept : domain{name.c_str()} {}
    explicit domain(std::wstring const &name) noexcept : domain{name.c_str()} {}
    domain() noexcept = default;

    nvtxDomainHandle_t const handle{};
};
template <> inline domain const &domain::get<domain::global>() noexcept
{
    static domain const d{};
    return d;
}

struct rgb {
    using component_type = uint8_t;
    constexpr rgb(component_type r, component_type g, component_type b) noexcept : red{r}, green{g}, blue{b} {}
    component_type red{}, green{}, blue{};
};

struct argb final : rgb {
    constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept : rgb{r, g, b}, alpha{a} {}
    component_type alpha{};
};

class color {
public:
    using value_type = uint32_t;
    constexpr explicit color(value_type argb) noexcept : value{argb} {}
    constexpr color(argb c) noexcept
        : value{value_type{c.alpha} << 24 | value_type{c.red} << 16 | value_type{c.green} << 8 | value_type{c.blue}} {}
    constexpr color(rgb c) noexcept : color{argb{0xff, c.red, c.green, c.blue}} {}
    constexpr value_type get_value() const noexcept { return value; }
    constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }

private:
    value_type value;
};

class category {
public:
    using id_type = uint32_t;
    constexpr explicit category(id_type id) noexcept : id{id} {}
    constexpr id_type get_id() const noexcept { return id; }
    category() = delete;

private:
    id_type const id;
};

// A category with a name in a domain. get's type has the members name and id.
template <class D = domain::global> class named_category_in final : public category {
public:
    template <class C> static named_category_in const &get() noexcept
    {
        static named_category_in const c{C::id, C::name};
        return c;
    }
    named_category_in(id_type id, char const *name) noexcept : category{id} { nvtxDomainNameCategoryA(domain::get<D>(), id, name); }
    named_category_in(id_type id, wchar_t const *name) noexcept : category{id} { nvtxDomainNameCategoryW(domain::get<D>(), id, name); }
};
using named_category = named_category_in<domain::global>;

// A message that a domain knows. get's type has the member message.
template <class D = domain::global> class registered_string_in {
public:
    template <class M> static registered_string_in const &get() noexcept
    {
        static registered_string_in const s{M::message};
        return s;
    }
    explicit registered_string_in(char const *text) noexcept : handle{nvtxDomainRegisterStringA(domain::get<D>(), text)} {}
    explicit registered_string_in(std::string const &text) noexcept : registered_string_in{text.c_str()} {}
    explicit registered_string_in(wchar_t const *text) noexcept : handle{nvtxDomainRegisterStringW(domain::get<D>(), text)} {}
    explicit registered_string_in(std::wstring const &text) noexcept : registered_string_in{text.c_str()} {}
    nvtxStringHandle_t get_handle() const noexcept { return handle; }

private:
    nvtxStringHandle_t const handle{};
};
using registered_string = registered_string_in<domain::global>;

class message {
public:
    using value_type = nvtxMessageValue_t;
    constexpr message(char const *text) noexcept : type{NVTX_MESSAGE_TYPE_ASCII} { value.ascii = text; }
    message(std::string const &text) noexcept : message{text.c_str()} {}
    message(std::string &&) = delete;
    constexpr message(wchar_t const *text) noexcept : type{NVTX_MESSAGE_TYPE_UNICODE} { value.unicode = text; }
    message(std::wstring const &text) noexcept : message{text.c_str()} {}
    message(std::wstring &&) = delete;
    template <class D> message(registered_string_in<D> const &text) noexcept : message{text.get_handle()} {}
    constexpr message(nvtxStringHandle_t text) noexcept : type{NVTX_MESSAGE_TYPE_REGISTERED} { value.registered = text; }
    constexpr message(nvtxMessageType_t type, nvtxMessageValue_t const &value) noexcept : type{type}, value(value) {}
    constexpr value_type get_value() const noexcept { return value; }
    constexpr nvtxMessageType_t get_type() const noexcept { return type; }

private:
    nvtxMessageType_t const type;
    nvtxMessageValue_t value{};
};

class payload {
public:
    using value_type = typename nvtxEventAttributes_v2::payload_t;
    explicit payload(int64_t v) noexcept : type{NVTX_PAYLOAD_TYPE_INT64} { value.llValue = v; }
    explicit payload(int32_t v) noexcept : type{NVTX_PAYLOAD_TYPE_INT32} { value.iValue = v; }
    explicit payload(uint64_t v) noexcept : type{NVTX_PAYLOAD_TYPE_UNSIGNED_INT64} { value.ullValue = v; }
    explicit payload(uint32_t v) noexcept : type{NVTX_PAYLOAD_TYPE_UNSIGNED_INT32} { value.uiValue = v; }
    explicit payload(float v) noexcept : type{NVTX_PAYLOAD_TYPE_FLOAT} { value.fValue = v; }
    explicit payload(double v) noexcept : type{NVTX_PAYLOAD_TYPE_DOUBLE} { value.dValue = v; }
    payload(nvtxPayloadType_t type, value_type const &value) noexcept : type{type}, value(value) {}
    value_type get_value() const noexcept { return value; }
    nvtxPayloadType_t get_type() const noexcept { return type; }

private:
    nvtxPayloadType_t const type;
    value_type value{};
};

// What is said of an event, in any order; of several of one kind the first counts.
class event_attributes {
public:
    using value_type = nvtxEventAttributes_t;

    event_attributes() noexcept
    {
        value.version = NVTX_VERSION;
        value.size = sizeof(value_type);
    }
    template <class... More> explicit event_attributes(category const &c, More const &...more) noexcept : event_attributes(more...)
    {
        value.category = c.get_id();
    }
    template <class... More> explicit event_attributes(color const &c, More const &...more) noexcept : event_attributes(more...)
    {
        value.color = c.get_value();
        value.colorType = c.get_type();
    }
    template <class... More> explicit event_attributes(rgb const &c, More const &...more) noexcept : event_attributes(color{c}, more...) {}
    template <class... More> explicit event_attributes(argb const &c, More const &...more) noexcept : event_attributes(color{c}, more...) {}
    template <class... More> explicit event_attributes(payload const &p, More const &...more) noexcept : event_attributes(more...)
    {
        value.payload = p.get_value();
        value.payloadType = p.get_type();
    }
    template <class... More> explicit event_attributes(message const &m, More const &...more) noexcept : event_attributes(more...)
    {
        value.message = m.get_value();
        value.messageType = m.get_type();
    }
    value_type const *get() const noexcept { return &value; }

private:
    value_type value{};
};

// A range of the thread, which ends with the object's scope.
template <class D = domain::global> class scoped_range_in {
public:
    explicit scoped_range_in(event_attributes const &attributes) noexcept { nvtxDomainRangePushEx(domain::get<D>(), attributes.get()); }
    template <class... Args> explicit scoped_range_in(Args const &...args) noexcept : scoped_range_in{event_attributes{args...}} {}
    scoped_range_in() noexcept : scoped_range_in{event_attributes{}} {}
    ~scoped_range_in() noexcept { nvtxDomainRangePop(domain::get<D>()); }

    void *operator new(std::size_t) = delete;
    scoped_range_in(scoped_range_in const &) = delete;
    scoped_range_in &operator=(scoped_range_in const &) = delete;
    scoped_range_in(scoped_range_in &&) = delete;
    scoped_range_in &operator=(scoped_range_in &&) = delete;
};
using scoped_range = scoped_range_in<domain::global>;

// A range that any thread ends.
struct range_handle {
    using value_type = nvtxRangeId_t;
    constexpr explicit range_handle(value_type id) noexcept : id{id} {}
    constexpr range_handle() noexcept = default;
    constexpr range_handle(std::nullptr_t) noexcept {}
    constexpr explicit operator bool() const noexcept { return id != 0; }
    constexpr value_type get_value() const noexcept { return id; }

private:
    value_type id{};
};
inline bool operator==(range_handle a, range_handle b) noexcept { return a.get_value() == b.get_value(); }
inline bool operator!=(range_handle a, range_handle b) noexcept { return !(a == b); }

template <class D = domain::global> range_handle start_range_in(event_attributes const &attributes) noexcept
{
    return range_handle{nvtxDomainRangeStartEx(domain::get<D>(), attributes.get())};
}
template <class D = domain::global, class... Args> range_handle start_range_in(Args const &...args) noexcept
{
    return start_range_in<D>(event_attributes{args...});
}
template <class... Args> range_handle start_range(Args const &...args) noexcept { return start_range_in<domain::global>(args...); }
template <class D = domain::global> void end_range_in(range_handle r) noexcept { nvtxDomainRangeEnd(domain::get<D>(), r.get_value()); }
inline void end_range(range_handle r) noexcept { end_range_in<domain::global>(r); }

// A range that ends with the object, which may move.
template <class D = domain::global> class unique_range_in {
public:
    explicit unique_range_in(event_attributes const &attributes) noexcept : range{start_range_in<D>(attributes)} {}
    template <class... Args> explicit unique_range_in(Args const &...args) noexcept : unique_range_in{event_attributes{args...}} {}
    unique_range_in() noexcept : unique_range_in{event_attributes{}} {}
    ~unique_range_in() noexcept { end(); }
    unique_range_in(unique_range_in &&other) noexcept : range{std::exchange(other.range, range_handle{})} {}
    unique_range_in &operator=(unique_range_in &&other) noexcept
    {
        if (this != &other) {
            end();
            range = std::exchange(other.range, range_handle{});
        }
        return *this;
    }
    unique_range_in(unique_range_in const &) = delete;
    unique_range_in &operator=(unique_range_in const &) = delete;

private:
    void end() noexcept
    {
        if (range) end_range_in<D>(range);
    }
    range_handle range;
};
using unique_range = unique_range_in<domain::global>;

template <class D = domain::global> void mark_in(event_attributes const &attributes) noexcept
{
    nvtxDomainMarkEx(domain::get<D>(), attributes.get());
}
template <class D = domain::global, class... Args> void mark_in(Args const &...args) noexcept { mark_in<D>(event_attributes{args...}); }
template <class... Args> void mark(Args const &...args) noexcept { mark_in<domain::global>(args...); }

} // namespace v1
} // namespace nvtx3

// A range of the function that the macro stands in, where the condition holds.
#define NVTX3_V1_FUNC_RANGE_IN(D)                                                                                     \
    static ::nvtx3::v1::registered_string_in<D> const nvtx3_function_name{__func__};                                  \
    ::nvtx3::v1::scoped_range_in<D> const nvtx3_function_range{nvtx3_function_name};
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, condition)                                                                       \
    static ::nvtx3::v1::registered_string_in<D> const nvtx3_function_name{__func__};                                  \
    ::std::unique_ptr<::nvtx3::v1::unique_range_in<D>> const nvtx3_function_range{                                    \
        (condition) ? new ::nvtx3::v1::unique_range_in<D>{nvtx3_function_name} : nullptr};
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(condition) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, condition)
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN

#endif
