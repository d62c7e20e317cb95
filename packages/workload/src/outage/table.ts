import type { Seconds } from '@sched/core'

/** A time in which a node is away, as a file has it. */
export interface Absence {
  /** Its name; or a number i: the i-th node of the cluster, from 0. */
  readonly node: string | number
  /** On the clock of the file; `from` < `to`. */
  readonly from: Seconds
  /** `Infinity`: it does not come back. */
  readonly to: Seconds
  /** What runs there runs on to its end; otherwise it is lost. */
  readonly drain: boolean
  /** Where it begins in the file. */
  readonly line: number
}

/** What a file says of nodes that go and come back. */
export interface AbsenceTable {
  readonly absences: readonly Absence[]
  /** The time of the file at which a run begins, unless it is told otherwise; absent where only the user can know. */
  readonly origin?: Seconds
  /** Its clock is that of logs of jobs, so that a run begins at time 0 of the workload where that says when it was. */
  readonly isOnClock?: true
  /** What was passed over, for people. */
  readonly notes?: readonly string[]
  /** Every node has to be one of the cluster; otherwise those that are not are passed over and told. */
  readonly isOfThisCluster?: true
}

/** A kind of file that says when nodes were away. */
export interface OutageFormat {
  readonly title: string
  detect(head: string): boolean
  /** Throws `BAD_INPUT` with file and line. */
  read(text: string, file: string | undefined): AbsenceTable
}

/** Absences of nodes of which a log has the beginnings and the ends, in the order of their times. */
export class OpenAbsences {
  readonly #open = new Map<string | number, { readonly from: Seconds; readonly line: number }>()
  readonly absences: Absence[] = []

  constructor(private readonly drain: boolean) {}

  /** A node goes; nothing where it is away already. */
  begin(node: string | number, from: Seconds, line: number): void {
    if (!this.#open.has(node)) this.#open.set(node, { from, line })
  }

  /** A node is back; nothing where it was not away. */
  end(node: string | number, to: Seconds): void {
    const open = this.#open.get(node)
    this.#open.delete(node)
    if (open !== undefined && open.from < to) this.absences.push({ node, ...open, to, drain: this.drain })
  }

  /** Those still away stay so. */
  close(): readonly Absence[] {
    for (const node of [...this.#open.keys()]) this.end(node, Infinity)
    return this.absences
  }
}
