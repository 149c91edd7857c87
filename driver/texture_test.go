package driver_test

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"silica/driver"
	"silica/gpu"
)

const textureSource = `.version 8.0
.target sm_90
.address_size 64
.visible .entry sample(.param .u64 t, .param .u64 out)
{
	.reg .u64 %t, %p;
	.reg .f32 %f<4>;
	ld.param.u64 %t, [t];
	ld.param.u64 %p, [out];
	tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0f3FC00000, 0f3F000000}];
	st.global.f32 [%p], %f0;
	ret;
}
.visible .entry sample_parameter(.param .texref t, .param .u64 out)
{
	.reg .u64 %p;
	.reg .f32 %f<4>;
	ld.param.u64 %p, [out];
	tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {0f40200000, 0f3F000000}];
	st.global.f32 [%p], %f0;
	ret;
}
.visible .entry draw(.param .u64 s, .param .u32 x)
{
	.reg .u64 %s;
	.reg .u32 %x;
	ld.param.u64 %s, [s];
	ld.param.u32 %x, [x];
	sust.b.2d.b32.trap [%s, {%x, 0}], 7;
	ret;
}
`

// openTextures returns a device with the kernels above and an array of 4 x 2 numbers.
func openTextures(t *testing.T, engine string) (*driver.Device, *driver.Module, *driver.Array) {
	t.Helper()
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	d, err := driver.Open(g, driver.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := d.LoadPTX("textures.ptx", []byte(textureSource))
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.NewArray(driver.ArrayDescriptor{Format: driver.ChannelF32, Channels: 1, Width: 4, Height: 2, Surface: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var texels []byte
	for i := range 8 {
		texels = binary.LittleEndian.AppendUint32(texels, math.Float32bits(float32(i)))
	}
	if err := a.Write(texels); err != nil {
		t.Fatal(err)
	}
	return d, m, a
}

func launch(t *testing.T, m *driver.Module, kernel string, params []byte) error {
	t.Helper()
	f, err := m.Function(kernel)
	if err != nil {
		t.Fatal(err)
	}
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	return f.Launch(context.Background(), driver.Launch{Grid: one, Block: one, Params: params})
}

func words(list ...uint64) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func TestTextureObjects(t *testing.T) {
	for _, engine := range []string{"simd", "ref"} {
		t.Run(engine, func(t *testing.T) {
			d, m, a := openTextures(t, engine)
			handle, err := d.NewTexture(driver.Resource{Array: a}, driver.Sampler{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := d.Alloc(8)
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(t, m, "sample", words(handle, out)); err != nil {
				t.Fatal(err)
			}
			b, err := d.Bytes(out, 4)
			if err != nil || math.Float32frombits(binary.LittleEndian.Uint32(b)) != 1 {
				t.Errorf("%v, %v", b, err)
			}
			if err := launch(t, m, "sample_parameter", words(handle, out)); err != nil {
				t.Fatal(err)
			}
			if math.Float32frombits(binary.LittleEndian.Uint32(b)) != 2 {
				t.Errorf("through a parameter: %v", b)
			}
			if err := d.DestroyObject(handle); err != nil {
				t.Error(err)
			}
			err = launch(t, m, "sample", words(handle, out))
			if err == nil || !strings.Contains(err.Error(), "textures.ptx:10:2: illegal address in sample") || !strings.Contains(err.Error(), "0x1 is no texture object") {
				t.Error(err)
			}
		})
	}
}

func TestSurfaceAccessesOutsideTrap(t *testing.T) {
	for _, engine := range []string{"simd", "ref"} {
		for x, want := range map[uint64]string{
			16: "illegal address in draw, block (0,0,0), thread (0,0,0): outside the surface: x 16, y 0, z 0, layer 0",
			6:  "misaligned address in draw: access of 4 bytes at 0x6, block (0,0,0), thread (0,0,0): the address is not a multiple of 4",
		} {
			d, m, a := openTextures(t, engine)
			handle, err := d.NewSurface(a)
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(t, m, "draw", words(handle, 4)[:12]); err != nil {
				t.Error(err)
			}
			if err := launch(t, m, "draw", words(handle, x)[:12]); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want %q", engine, err, want)
			}
		}
	}
}

func TestViewsOfArrays(t *testing.T) {
	d, m, _ := openTextures(t, "simd")
	a, err := d.NewArray(driver.ArrayDescriptor{Format: driver.ChannelF32, Channels: 1, Width: 4, Height: 4, Layers: 3, Layered: true}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		view driver.View
		want string
	}{
		{driver.View{LastLevel: 9}, ""},
		{driver.View{FirstLevel: 3, LastLevel: 3}, "levels 3 to 3 of 3"},
		{driver.View{FirstLayer: 1, LastLayer: 2}, ""},
		{driver.View{FirstLayer: 1, LastLayer: 3}, "layers 1 to 3 of 3"},
		{driver.View{Format: driver.ChannelU8, Channels: 4}, ""},
		{driver.View{Format: driver.ChannelU16, Channels: 4}, "texels of 4 bytes as ones of 8"},
	} {
		_, err := d.NewTexture(driver.Resource{Array: a, Mipmapped: true, View: &c.view}, driver.Sampler{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.view, err, c.want)
		}
	}
	// A view of a level is as large as the level: unsigned bytes of 1.0 are 0, 0, 128 and 63.
	b, err := d.NewArray(driver.ArrayDescriptor{Format: driver.ChannelF32, Channels: 1, Width: 2, Height: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(words(0x3F800000_3F800000)); err != nil {
		t.Fatal(err)
	}
	handle, err := d.NewTexture(driver.Resource{Array: b, View: &driver.View{Format: driver.ChannelU16, Channels: 2}}, driver.Sampler{Integer: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := launch(t, m, "sample", words(handle, out)); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Bytes(out, 4); err != nil || binary.LittleEndian.Uint32(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPlainMemoryAsTextures(t *testing.T) {
	d, _, _ := openTextures(t, "simd")
	addr, err := d.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    driver.Resource
		want string
	}{
		{driver.Resource{Address: addr, Format: driver.ChannelF32, Channels: 1, Width: 100}, ""},
		{driver.Resource{Address: addr + 16, Format: driver.ChannelF32, Channels: 1, Width: 100}, "no multiple of 512"},
		{driver.Resource{Address: addr, Format: driver.ChannelF32, Channels: 3, Width: 100}, "3 channels"},
		{driver.Resource{Address: addr, Format: driver.ChannelF32, Channels: 1, Width: 5000}, "after"},
		{driver.Resource{Address: addr, Format: driver.ChannelF32, Channels: 1, Width: 50, Height: 16, Pitch: 224}, ""},
		{driver.Resource{Address: addr, Format: driver.ChannelF32, Channels: 1, Width: 50, Height: 16, Pitch: 200}, "multiple of 32"},
		{driver.Resource{Format: driver.ChannelF32, Channels: 1, Width: 50}, "0x0"},
	} {
		_, err := d.NewTexture(c.r, driver.Sampler{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}
