import { nearest } from '@sched/core'

/** What became of a setting: it acts as on the real cluster, in a way that is told, or not at all, for a reason that is told. */
export type Verdict = 'honoured' | 'approximated' | 'ignored'

/** One setting of a queue file and what a simulation makes of it. */
export interface Finding {
  /** What becomes of it. */
  readonly verdict: Verdict
  /** Name of the file, for messages. */
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** The setting, for example `root.ads weight` or `yarn.scheduler.capacity.root.ads.capacity`. */
  readonly setting: string
  /** As written. */
  readonly value: string
  /** How it is approximated or why it is ignored; empty where there is nothing to say. */
  readonly note: string
}

/** What to say of a setting that is not simulated, with the one whose name is nearest. */
export function notSimulated(name: string, known: readonly string[]): string {
  return `not simulated${didYouMean(name, known)}`
}

/** `; did you mean x?` for the end of a note, with the known name nearest to one that is not; empty where none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return close === undefined ? '' : `; did you mean ${close}?`
}

/** Orders findings file by file, by the names of the files, and in each from the top. */
export const byPlace = (a: Finding, b: Finding): number => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)

/** Findings as they are made; one file, unless told otherwise. */
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
