/**
 * What comes of as many tasks as possible, from `most` down to `least`: how many fewer that has to be is searched for by halves, so that anything in between
 * is taken to be as those on its side of it; `undefined` where nothing comes of any.
 *
 * Source: Kueue, podset_reducer.go, of one set of pods.
 */
export function largest<T>(most: number, least: number, attempt: (tasks: number) => T | undefined): T | undefined {
  let found: T | undefined
  let [low, high] = [0, most - least + 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const at = attempt(most - middle)
    if (at === undefined) low = middle + 1
    else [found, high] = [at, middle]
  }
  return found
}
