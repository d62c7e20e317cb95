import { SchedError } from '@sched/core'
import { optionSize, type Size, type Sizes } from '../rigid/machine.js'
import { fieldNumber, fieldTexts } from './header.js'
import type { HeaderFields } from '../trace/facts.js'
import type { SwfRules } from './options.js'

/** The size of the machine from the options and the header; amounts that neither gives are absent. */
export function swfSizes(options: SwfRules, header: HeaderFields): Sizes {
  const nodes = optionSize(options.nodes, 'nodes') ?? headerSize(header, 'MaxNodes')
  const procs = optionSize(options.procs, 'procs') ?? headerSize(header, 'MaxProcs') ?? nodesAsProcs(nodes)
  return { procs, nodes, mem: optionSize(options.mem, 'mem') }
}

/** Processors per node, for jobs that ask for whole nodes. Throws `BAD_OPTION` if unknown. */
export function procsPerNode({ unit }: SwfRules, { procs, nodes }: Sizes): number {
  if (unit === 'procs') return 1
  if (procs !== undefined && nodes !== undefined) return procs.amount / nodes.amount
  throw new SchedError('BAD_OPTION', 'the log does not say how many nodes the machine has.', { field: 'swf.unit' }, 'Give nodes, or let jobs ask for processors.')
}

/** Whether the number of processors is only guessed from the number of nodes; jobs may show that it is larger. */
export function isGuess({ procs }: Sizes): boolean {
  return procs?.origin === guess
}

/**
 * What the header says that contradicts its jobs or its other fields. `rows`: number of jobs, if all are read; `late`: header fields below the first
 * job.
 */
export function headerNotes(header: HeaderFields, sizes: Sizes, rows: number | undefined, late: ReadonlySet<string>): string[] {
  const notes: string[] = []
  const records = fieldNumber(header, 'MaxRecords')
  if (records !== undefined && rows !== undefined && records !== rows) notes.push(`the header announces ${records} records (MaxRecords), the log has ${rows}`)
  for (const name of ['MaxProcs', 'MaxNodes']) {
    const [first, ...others] = fieldTexts(header, name)
    if (first === undefined) continue
    if (headerSize(header, name) === undefined) notes.push(`${name} of the header is "${first}", which is no number of at least 1: it is taken as absent`)
    const other = others.find((each) => each !== first)
    if (other !== undefined) notes.push(`${name} of the header is "${first}", and "${other}" further down: the first is taken`)
  }
  const [nodes, procs] = [headerSize(header, 'MaxNodes')?.amount, headerSize(header, 'MaxProcs')?.amount]
  if (nodes !== undefined && procs !== undefined && nodes > procs) notes.push(`the header has more nodes than processors (MaxNodes ${nodes}, MaxProcs ${procs}): give procs or nodes if that is wrong`)
  if (late.size > 0) notes.push(`${[...late].join(', ')} below the first job: a header is read above it only`)
  if (isGuess(sizes)) notes.push(`MaxProcs is absent from the header: MaxNodes, ${sizes.procs!.amount}, is taken for it`)
  return notes
}

const guess = 'MaxNodes of the header, which has no MaxProcs'
const nodesAsProcs = (nodes: Size | undefined): Size | undefined => nodes && { amount: nodes.amount, origin: guess }

/** Size of the machine in a field of a header; `undefined` if it is not a whole number of at least 1. */
export function headerSize(header: HeaderFields, name: string): Size | undefined {
  const amount = fieldNumber(header, name)
  return amount !== undefined && Number.isInteger(amount) && amount >= 1 ? { amount, origin: `${name} of the header` } : undefined
}
