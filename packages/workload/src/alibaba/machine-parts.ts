import type { Demand } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { numberIn } from '../job-table/values.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine } from '../trace/format.js'
import { roundUp } from './round-up.js'
import type { TaskAsks } from './task-table.js'

/** Option for the memory of a whole machine. */
export const memoryOption = z.int().min(1).default(1_000_000).describe('Memory of a whole machine in the unit of the demand (mem), of which the trace gives fractions.')
/** Option for the demand of instances that do not tell theirs; `cpu`, `mem`: default; `unit`: unit of `mem`. */
export const demandOption = (cpu: number, mem: number, unit = 'the unit above') =>
  z.strictObject({ cpu: z.int().min(0), mem: z.int().min(0) }).default({ cpu, mem }).describe(`What an instance asks for that does not say it: cpu in 1/100 core, mem in ${unit}.`)

/**
 * Demands of the traces of 2017 and 2018: `cpu` in 1/100 core, `mem` in parts of a machine. The table has `whole` for the memory of a whole machine.
 */
export class MachineParts implements TaskAsks {
  readonly #demands = new Map<string, Demand>()
  #unsaid = 0

  /** `cpu` and `memory` are positions of columns. */
  constructor(
    private readonly cpu: number,
    private readonly memory: number,
    private readonly whole: number,
    private readonly options: { readonly memory: number; readonly demand: { readonly cpu: number; readonly mem: number } },
  ) {}

  of(fields: readonly string[]): { demand: Demand } {
    const { demand, memory: machine } = this.options
    const [cpu, memory] = [fields[this.cpu]!, fields[this.memory]!]
    if (cpu === '' || memory === '') this.#unsaid++
    const asked = {
      cpu: cpu === '' ? demand.cpu : Math.ceil(numberIn(cpu, 'CPU', 0)),
      mem: memory === '' ? demand.mem : roundUp((numberIn(memory, 'memory', 0) / this.whole) * machine),
    }
    if (asked.cpu + asked.mem > Number.MAX_SAFE_INTEGER) throw new BadLine('memory', `found ${JSON.stringify(memory)}, more than any machine has.`)
    if (asked.cpu + asked.mem === 0) throw new BadLine(undefined, 'an instance asks for nothing.')
    const key = `${asked.cpu} ${asked.mem}`
    const known = this.#demands.get(key) ?? asked
    this.#demands.set(key, known)
    return { demand: known }
  }

  rules(): RuleCount[] {
    return [{ rule: 'demand', jobs: this.#unsaid, text: 'tasks of unknown demand: given the default' }]
  }
}
