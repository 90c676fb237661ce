# modules.cmake - cmake -DSOURCE=modules.c -DVERSION=0.1.0 -DMODULES=22,path,19,path -P modules.cmake: writes a source
# of the stub with the hash of each module. ccache reads the stub, and not the modules, to know whether the plugin changed.
set(text "gpumemprof ${VERSION}")
string(REPLACE "," ";" MODULES "${MODULES}")
while(MODULES)
  list(POP_FRONT MODULES version path)
  file(SHA256 "${path}" hash)
  string(APPEND text ", llvm-${version} ${hash}")
endwhile()
file(CONFIGURE OUTPUT ${SOURCE} CONTENT "__attribute__((used)) static const char modules[] = \"${text}\";\n" @ONLY)
