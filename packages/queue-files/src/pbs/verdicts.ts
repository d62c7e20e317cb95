import { Findings, type Verdict } from '../finding.js'
import type { Setting } from '../setting.js'
import type { Attribute } from './attributes.js'

/** What becomes of each line of files of OpenPBS; the first that is told of a line stays. */
export class Verdicts {
  readonly #told = new Set<Setting>()
  readonly findings: Findings

  constructor(file: string) {
    this.findings = new Findings(file)
  }

  /** Tells what becomes of a line, or of all lines of an attribute. */
  tell(given: Setting | Attribute | undefined, verdict: Verdict, note = ''): void {
    if (given === undefined) return
    for (const line of 'lines' in given ? given.lines : [given]) {
      if (this.#told.has(line)) continue
      this.#told.add(line)
      this.findings.add(verdict, line, line.name, line.value, note)
    }
  }

  /** The same by a reason why it has no effect; empty: it is honoured. */
  honour(given: Setting | Attribute | undefined, whyNot: string): void {
    this.tell(given, whyNot === '' ? 'honoured' : 'ignored', whyNot)
  }
}
