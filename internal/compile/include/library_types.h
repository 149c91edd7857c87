// Types that the headers of CUDA's libraries share.
#ifndef SILICA_LIBRARY_TYPES_H
#define SILICA_LIBRARY_TYPES_H

typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;

#endif
