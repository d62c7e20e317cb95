/**
 * The result of `attempt` for the largest number of tasks from `most` down to `least` for which it has one; `undefined` if it has none for any. A
 * binary search: it assumes that if a number of tasks gives a result, every smaller one does, too.
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
