/** Words by which names of columns tell what they hold, where no name is one of those that are known as a whole; in the order in which columns are given to meanings. */
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

/** Columns of amounts used, waits and the like are none that jobs ask for, or run by. */
const others = /\b(used|usage|avg|average|mean|wait(ing)?|util(ization)?|by|exit|code|state|status|host|model|type|hours)\b/

/** `submitted_at`, `submittedAt` and `SUBMITTED AT` are the words submitted at. */
const wordsOf = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().replace(/[^a-z]+/g, ' ').trim()

/** Of the names that none of the meanings known so far (`taken`) has, those that may hold the others. */
export function nearNames(names: readonly string[], taken: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  const free = new Set(names.filter((name) => ![...taken.values()].includes(name) && !others.test(wordsOf(name))))
  for (const [meaning, mark] of words) {
    if (taken.has(meaning)) continue
    const name = [...free].find((each) => mark.test(wordsOf(each)))
    if (name === undefined) continue
    found.set(meaning, name)
    free.delete(name)
  }
  return found
}
