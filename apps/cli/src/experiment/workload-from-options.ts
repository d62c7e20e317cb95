import type { Registry } from '@sched/core'
import { resolve } from 'node:path'
import { defined, fieldsGiven, yaml, type ChangeOptions, type ExperimentOptions, type Here } from './given-options.js'
import { readMapping } from './mapping.js'
import type { Base } from './read-experiment.js'
import { isRigidGenerator, isRigidTrace, takesProcs } from './rigid.js'
import type { ExperimentInput } from './schema.js'

/** The jobs of the command line, or those of the file changed as it says; `undefined`: those of the file. */
export async function workloadOf(options: ExperimentOptions, base: Base | undefined, here: Here): Promise<ExperimentInput['workload'] | undefined> {
  const { trace, generate, onBadLine } = options
  const { cwd, registry } = here
  const { format, option } = mapped(options, cwd)
  const spec = base?.spec
  const resized = options.procs === undefined || trace !== undefined || !isRigidGenerator(spec?.workload?.generate, registry) ? undefined : withProcs(spec?.workload?.generate, options.procs, registry)
  const given = {
    ...changesGiven(options, spec?.workload),
    ...defined({
      format,
      onBadLine,
      options: await formatOptions({ ...options, ...(option !== undefined && { option }) }, base, here),
      generate: generate === undefined ? resized : undefined,
    }),
  }
  if (trace === undefined && generate === undefined) return Object.keys(given).length === 0 || spec?.workload === undefined ? undefined : { ...spec.workload, ...given }
  const source = {
    trace: trace === undefined ? undefined : resolve(cwd, trace),
    generate: generate === undefined ? undefined : withProcs(yaml(generate, '--generate'), options.procs, registry),
  }
  const { window, take, feedback, resample, load }: Partial<ExperimentInput['workload']> = spec?.workload ?? {} // other jobs are changed in the same way
  return { ...defined({ window, take, feedback, resample, load }), ...defined(source), ...given }
}

/** What the command line changes about jobs, as fields of a workload; `before`: what a file says of it. */
export function changesGiven(options: ChangeOptions, before?: ExperimentInput['workload']): Partial<ExperimentInput['workload']> {
  const { take, window, feedback, resample, load, estimates, queueNames, queueMix, timeZone, masters } = options
  return defined({
    take,
    window,
    feedback: feedback === true ? {} : feedback && { within: feedback },
    resample: resample === true ? {} : resample && fieldsGiven(resample, '--resample', 'users=1.2,periods=26'),
    load,
    estimates: estimates === undefined ? undefined : yaml(estimates, '--estimates'),
    queueNames,
    queueMix,
    timeZone,
    masters: masters === undefined ? undefined : { ...before?.masters, demand: masters },
  })
}

/** Whether the workload that the command line names is of rigid jobs. */
export async function isRigid(options: ExperimentOptions, { cwd, registry }: Here): Promise<boolean> {
  const { trace, generate } = options
  const { format, option } = mapped(options, cwd)
  if (trace !== undefined) return isRigidTrace(resolve(cwd, trace), format, option, registry)
  return generate !== undefined && isRigidGenerator(yaml(generate, '--generate'), registry)
}

/** Whether the log or the generator is told the number of processors, and says what the machine is. */
export async function jobsTakeProcs(options: ExperimentOptions, base: Base | undefined, here: Here): Promise<boolean> {
  const { trace, generate = base?.spec.workload?.generate } = options
  return (await readerTakesProcs(options, base, here))
    || (trace === undefined && generate !== undefined && isRigidGenerator(typeof generate === 'string' ? yaml(generate, '--generate') : generate, here.registry))
}

/** The format of the trace and its options, of which a mapping of columns is one. */
function mapped({ mapping, format, option }: ExperimentOptions, cwd: string): Pick<ExperimentOptions, 'format' | 'option'> {
  const read = mapping === undefined ? undefined : readMapping(mapping, cwd, format)
  return defined({ format: read?.format ?? format, option: read === undefined ? option : { ...read.options, ...option } })
}

/** Options of the trace's format; `--procs` is one of them where it reads logs of parallel machines. */
async function formatOptions(options: ExperimentOptions, base: Base | undefined, here: Here): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { option, procs, trace } = options
  const given = { ...option, ...(procs !== undefined && (await readerTakesProcs(options, base, here)) && { procs }) }
  if (Object.keys(given).length === 0) return undefined
  return trace === undefined ? { ...base?.spec.workload?.options, ...given } : given
}

/** Whether the jobs are read from a log whose format has an option `procs`. */
async function readerTakesProcs({ trace, generate, format }: ExperimentOptions, base: Base | undefined, { cwd, registry }: Here): Promise<boolean> {
  if (trace !== undefined) return takesProcs(resolve(cwd, trace), format, registry)
  const file = generate === undefined ? base?.spec.workload?.trace : undefined
  return file !== undefined && takesProcs(resolve(base?.directory ?? cwd, file), format ?? base?.spec.workload?.format, registry)
}

function withProcs(generate: unknown, procs: number | undefined, registry: Registry): unknown {
  if (procs === undefined || !isRigidGenerator(generate, registry)) return generate
  if (typeof generate === 'string') return { [generate]: { procs } }
  const [[name, options] = ['', {}]] = Object.entries(generate as Record<string, object>)
  return { [name]: { ...options, procs } }
}
