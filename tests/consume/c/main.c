#include <stdio.h>

#include <tessera/tessera.h>

int main(void) {
  tessera_error error;
  tessera_array* array;
  if (tessera_open_array("/missing", "", &array, &error) != TESSERA_NOT_FOUND) return 1;
  printf("tessera %s in C\n", tessera_version());
  return 0;
}
