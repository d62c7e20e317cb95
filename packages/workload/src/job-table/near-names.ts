/** Patterns of words that tell what a column holds if its whole name is not known, in the order in which meanings get their columns. */
const words: readonly (readonly [meaning: string, mark: RegExp])[] = [
  ['estimate', /\b(limit|estimated?|req(uested)? (wall ?|run ?)?time|(wall ?|run ?)time req(uested)?)\b/],
  ['submit', /\b(submit(ted)?|submission|enqueued?|queued|arriv(al|e|ed)|creat(e|ed|ion))\b/],
  ['start', /\b(start(ed)?|beg(in|an)|launch(ed)?|dispatch(ed)?|scheduled)\b/],
  ['end', /\b(end(ed)?|finish(ed)?|complet(e|ed|ion)|stop(ped)?|terminated|deleted)\b/],
  ['duration', /\b(run ?time|running|duration|elapsed|wall ?(clock|time)|exec(ution)?|service)\b/],
  ['gpu', /\b[nv]?(gpus?|accelerators?)\b/],
  ['cpu', /\b[nv]?(cpus?|cores?|procs?|processors?)\b/],
  ['mem', /\b(mem|memory|ram)\b/],
  ['tasks', /\b(n?tasks|replicas|workers|instances|executors)\b/],
  ['user', /\b(user|owner|submitter)\b/],
  ['queue', /\b(queue|partition|pool|team|project|vc)\b/],
  ['id', /\b(id|identifier|uuid|job|name)\b/],
]

/** Words of columns that do not tell a meaning, such as amounts used and waits. */
const others = /\b(used|usage|avg|average|mean|wait(ing)?|util(ization)?|by|exit|code|state|status|host|model|type|hours)\b/

/** The words of a name: `submitted_at`, `submittedAt` and `SUBMITTED AT` all become `submitted at`. */
const wordsOf = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().replace(/[^a-z]+/g, ' ').trim()

const amounts: ReadonlySet<string> = new Set(['gpu', 'cpu', 'mem'])

/** Whether a column that names a resource has amounts times the time for which they were held, which are no demands: `cpu_seconds`, `gpuHours`, `gpu_time`. */
export const isTimesTime = (name: string): boolean => /\b(seconds|minutes|hours|time)\b/.test(wordsOf(name))

/** Columns that may hold the meanings that are not in `taken`, among the names that have no meaning yet. */
export function nearNames(names: readonly string[], taken: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  const free = new Set(names.filter((name) => ![...taken.values()].includes(name) && !others.test(wordsOf(name))))
  for (const [meaning, mark] of words) {
    if (taken.has(meaning)) continue
    const name = [...free].find((each) => mark.test(wordsOf(each)) && !(amounts.has(meaning) && isTimesTime(each)))
    if (name === undefined) continue
    found.set(meaning, name)
    free.delete(name)
  }
  return found
}
