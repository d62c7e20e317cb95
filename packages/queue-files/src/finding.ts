import { nearest } from '@sched/core'

/** What becomes of a setting: it acts as on the real cluster, it acts in another way, which the note tells, or it does not act, for a reason in the note. */
export type Verdict = 'honoured' | 'approximated' | 'ignored'

/** What becomes of an argument, and the note that tells it. */
export type Told = readonly [verdict: Verdict, note: string]

/** One setting of a queue file and what a simulation makes of it. */
export interface Finding {
  /** What becomes of the setting. */
  readonly verdict: Verdict
  /** Name of the file, for messages. */
  readonly file: string
  /** Line in the file, 1-based. */
  readonly line: number
  /** The setting, for example `root.ads weight` or `yarn.scheduler.capacity.root.ads.capacity`. */
  readonly setting: string
  /** The value as written in the file. */
  readonly value: string
  /** How the setting is approximated, why it is ignored, or a remark; empty if there is nothing to say. */
  readonly note: string
}

/** The note for a setting that is not simulated, with the known name nearest to its own. */
export function notSimulated(name: string, known: readonly string[]): string {
  return `not simulated${didYouMean(name, known)}`
}

/** `; did you mean x?` for the end of a note, where x is the known name nearest to `name`; empty if none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return close === undefined ? '' : `; did you mean ${close}?`
}

/** Orders findings by the names of their files, and within a file by line. */
export const byPlace = (a: Finding, b: Finding): number => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)

/** Collects findings. They are of the file given to the constructor unless `add` names another one. */
export class Findings {
  readonly all: Finding[] = []
  readonly file: string

  constructor(file: string) {
    this.file = file
  }

  add(verdict: Verdict, { line, file = this.file }: { line: number; file?: string | undefined }, setting: string, value: string, note = ''): void {
    this.all.push({ verdict, file, line, setting, value, note })
  }
}
