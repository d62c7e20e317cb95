/** A job of a log as a first version would read it. */
export interface NaiveRow {
  readonly id: string
  readonly submit: number
  readonly duration: number
  readonly procs: number
  readonly estimate: number
  readonly user: string
}

/** Reads a log in the Standard Workload Format the obvious way: text, lines, fields, numbers; nothing is checked. */
export function naiveSwf(bytes: Uint8Array): NaiveRow[] {
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.filter((line) => line.trim() !== '' && !line.startsWith(';')).map((line) => {
    const [id, submit, , run, allocated, , , requested, estimate, , , user] = line.trim().split(/\s+/).map(Number) as [number, ...number[]]
    const procs = requested === -1 ? allocated : requested
    return { id: String(id), submit: submit ?? 0, duration: run ?? 0, procs: procs ?? 0, estimate: estimate ?? 0, user: String(user) }
  })
}
