/* statistics.c - a C program part that reads, computes and prints, with libc calls only. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column {
  char name[32];
  double *value;
  size_t count, capacity;
};

static int column_add(struct column *c, double value) {
  if (c->count == c->capacity) {
    size_t capacity = c->capacity ? 2 * c->capacity : 64;
    double *grown = realloc(c->value, capacity * sizeof *grown);
    if (!grown) return -1;
    c->value = grown;
    c->capacity = capacity;
  }
  c->value[c->count++] = value;
  return 0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean(const struct column *c) {
  double sum = 0, lost = 0;
  for (size_t i = 0; i < c->count; i++) {
    double term = c->value[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return c->count ? sum / (double)c->count : 0;
}

static double deviation(const struct column *c) {
  double m = mean(c), sum = 0;
  for (size_t i = 0; i < c->count; i++) sum += (c->value[i] - m) * (c->value[i] - m);
  return c->count > 1 ? sqrt(sum / (double)(c->count - 1)) : 0;
}

static double quantile(const struct column *c, double q) {
  if (!c->count) return 0;
  double place = q * (double)(c->count - 1);
  size_t below = (size_t)place;
  if (below + 1 >= c->count) return c->value[c->count - 1];
  return c->value[below] + (place - (double)below) * (c->value[below + 1] - c->value[below]);
}

static double correlation(const struct column *a, const struct column *b) {
  size_t n = a->count < b->count ? a->count : b->count;
  double ma = mean(a), mb = mean(b), top = 0, left = 0, right = 0;
  for (size_t i = 0; i < n; i++) {
    double x = a->value[i] - ma, y = b->value[i] - mb;
    top += x * y;
    left += x * x;
    right += y * y;
  }
  return left > 0 && right > 0 ? top / sqrt(left * right) : 0;
}

static size_t read_header(char *line, struct column *columns, size_t limit) {
  size_t count = 0;
  for (char *word = strtok(line, ",\n"); word && count < limit; word = strtok(NULL, ",\n")) {
    while (isspace((unsigned char)*word)) word++;
    snprintf(columns[count++].name, sizeof columns->name, "%s", word);
  }
  return count;
}

int statistics_of(FILE *in, FILE *out) {
  struct column columns[32];
  char line[4096];
  memset(columns, 0, sizeof columns);
  if (!fgets(line, sizeof line, in)) return -1;
  size_t count = read_header(line, columns, 32);
  while (fgets(line, sizeof line, in)) {
    char *at = line;
    for (size_t i = 0; i < count; i++) {
      char *end;
      double value = strtod(at, &end);
      if (end == at) break;
      if (column_add(&columns[i], value)) return -1;
      at = end + (*end == ',');
    }
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < i; k++)
      fprintf(out, "%s %s %.4f\n", columns[i].name, columns[k].name,
              correlation(&columns[i], &columns[k]));
    qsort(columns[i].value, columns[i].count, sizeof(double), by_value);
    fprintf(out, "%s %zu %g %g %g %g %g\n", columns[i].name, columns[i].count, mean(&columns[i]),
            deviation(&columns[i]), quantile(&columns[i], 0.05), quantile(&columns[i], 0.5),
            quantile(&columns[i], 0.95));
    free(columns[i].value);
  }
  return 0;
}
