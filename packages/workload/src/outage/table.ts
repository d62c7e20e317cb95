import type { Seconds } from '@sched/core'

/** A time during which a node is away, as recorded in a file. */
export interface Absence {
  /** Name of the node, or its index in the cluster, from 0. */
  readonly node: string | number
  /** Start on the clock of the file; before `to`. */
  readonly from: Seconds
  /** End on the clock of the file; `Infinity` if the node does not come back. */
  readonly to: Seconds
  /** Whether tasks on the node run to their ends; otherwise they are lost. */
  readonly drain: boolean
  /** Line of the file at which it begins. */
  readonly line: number
}

/** What a file tells about absences of nodes. */
export interface AbsenceTable {
  readonly absences: readonly Absence[]
  /** Time of the file at which a run begins, unless the user gives another; absent if only the user can know. */
  readonly origin?: Seconds
  /** Set if the clock of the file is that of logs of jobs: then a run begins at time 0 of the workload, if the workload says what that is. */
  readonly isOnClock?: true
  /** Notes for people about what was ignored. */
  readonly notes?: readonly string[]
  /** Set if every node must be one of the cluster; otherwise absences of other nodes are left out, with a note. */
  readonly isOfThisCluster?: true
}

/** A kind of file that records absences of nodes. */
export interface OutageFormat {
  readonly title: string
  detect(head: string): boolean
  /** Reads a file. Throws `BAD_INPUT` with file and line. */
  read(text: string, file: string | undefined): AbsenceTable
}

/** Pairs the beginnings and the ends of absences in a log, which come in order of time. */
export class OpenAbsences {
  readonly #open = new Map<string | number, { readonly from: Seconds; readonly line: number }>()
  readonly absences: Absence[] = []

  constructor(private readonly drain: boolean) {}

  /** Begins an absence, unless the node is away already. */
  begin(node: string | number, from: Seconds, line: number): void {
    if (!this.#open.has(node)) this.#open.set(node, { from, line })
  }

  /** Ends the absence of a node, if it is away. */
  end(node: string | number, to: Seconds): void {
    const open = this.#open.get(node)
    this.#open.delete(node)
    if (open !== undefined && open.from < to) this.absences.push({ node, ...open, to, drain: this.drain })
  }

  /** All absences; nodes that are still away do not come back. */
  close(): readonly Absence[] {
    for (const node of [...this.#open.keys()]) this.end(node, Infinity)
    return this.absences
  }
}
