# modules.cmake - cmake -DHEADER=modules.h -DVERSION=0.1.0 -DMODULES=22,path,19,path -P modules.cmake: writes the
# hash of each module into the header that stub.c includes.
set(text "gpumemprof ${VERSION}")
string(REPLACE "," ";" MODULES "${MODULES}")
while(MODULES)
  list(POP_FRONT MODULES version path)
  file(SHA256 "${path}" hash)
  string(APPEND text ", llvm-${version} ${hash}")
endwhile()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define GPUMEMPROF_MODULES \"${text}\"\n" @ONLY)
