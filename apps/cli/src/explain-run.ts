import { SchedError, withoutUndefined, type ArchitectureEnv, type Env, type Plug, type Registry } from '@sched/core'
import type { SimulationOptions } from '@sched/sim'
import { formatsIn } from '@sched/workload'
import { lineOfJob } from '@sched/workload/node'
import { resolve } from 'node:path'
import { explained, type Experiment } from './experiment/experiment.js'
import { under } from './experiment/fields-under.js'
import { written, type NamedPolicy } from './experiment/policies.js'

/** What the user is told of an error in a run: where the experiment configures what it is about. */
export function explainRun({ description, policies, registry }: Pick<Experiment, 'description' | 'policies' | 'registry'>, policy: number, error: Error): Error {
  if (!(error instanceof SchedError)) return error
  const { field = '' } = error.place
  if (error.code === 'INFEASIBLE') return explainedInfeasible(description, registry, error)
  const { wayOut } = error
  if (error.code === 'BAD_INPUT' && /^demand\b/.test(field))
    return withWayOut(error, `${wayOut.slice(0, -1)}${askedOtherwise(error.fact, description.spec.workload.trace !== undefined)}.`)
  if (error.code === 'BAD_OPTION' && description.source === undefined && isOfDefaultSlots(error))
    return withWayOut(error, `${wayOut} Say what its nodes have: by a list of machines (--nodes FILE), or by --nodes and --resources.`)
  if (/^architecture\./.test(field)) return explained(description, ['architecture'], error)
  if (/^metrics\b/.test(field)) return explained(description, [], error)
  const path = policies[policy]?.path ?? []
  if (error.code === 'UNKNOWN_NAME' && field === 'policies')
    return explained(description, [...path.slice(0, -1), 'schedulers'], error.at({ field: `${written(path.slice(0, -1))}.schedulers` }))
  const queueFile = description.source === undefined ? queueFileAt(description.spec, path) : undefined
  if (error.code === 'BAD_OPTION' && queueFile !== undefined) return error.at({ file: queueFile })
  if (error.code === 'BAD_OPTION' && description.source === undefined && policies.length > 1) return error.at({ field: `${written(path.slice(0, 2))}: ${field}` })
  const isOfPolicy = error.code === 'BAD_OPTION' || field === 'queue'
  return isOfPolicy ? explained(description, path, error) : error
}

/** The queue file that a policy comes from, as it was named. */
function queueFileAt({ queues = [] }: Experiment['description']['spec'], [list, at]: NamedPolicy['path']): string | undefined {
  return list === 'queues' ? [queues].flat()[Number(at ?? 0)] : undefined
}

const withWayOut = ({ code, fact, place }: SchedError, wayOut: string) => new SchedError(code, fact, place, wayOut)

/** A resource is named that nodes of map and reduce slots, as they are unless told otherwise, do not have. */
const isOfDefaultSlots = ({ fact, wayOut }: SchedError) => /^the cluster has no resource "/.test(fact) && wayOut.endsWith('Known: map, reduce.')

/** Traces of Hadoop can be read either way. */
function askedOtherwise(fact: string, isTrace: boolean): string {
  const [, name] = /has no resource "([^"]*)"/.exec(fact) ?? []
  if (name === undefined) return ''
  if ((name === 'map' || name === 'reduce') && !isTrace) return ', for example `--slots map=4,reduce=2`'
  if (name === 'map' || name === 'reduce') return ', or read tasks of the trace as containers (`--option demand=containers`)'
  return name === 'vcores' || name === 'memory-mb'
    ? ', for example `--resources vcores=16,memory-mb=65536`, or read tasks of the trace as slots (`--option demand=slots`)'
    : ', for example with --resources, or with a description of the cluster or a list of machines (--cluster, --nodes)'
}

/** A job that can never run is one of the trace's, if there is one. */
function explainedInfeasible({ source, spec, directory }: Experiment['description'], registry: Registry, { code, fact, place, wayOut }: SchedError): SchedError {
  const { trace, format, options } = spec.workload
  const [, id] = /^(?:a task of |the master of )?job (\S+) /.exec(fact) ?? [] // or it is about what runs and waits
  const file = trace === undefined || id === undefined ? undefined : resolve(directory, trace)
  const line = file === undefined || id === undefined ? undefined : lineOfJob(file, { formats: formatsIn(registry), format, options }, id)
  const toDo = source === undefined ? wayOut.replace('infeasible: reject', '--infeasible reject') : wayOut
  return new SchedError(code, fact, withoutUndefined({ file, line, ...place }), toDo)
}

/** An architecture builds its schedulers' policies, so errors of its own are given its path, and those of a policy are left. */
export function toldApart(
  { plug, ofSchedulers = {} }: NamedPolicy,
  architecture: Plug<'architecture'>,
): Pick<SimulationOptions, 'policy' | 'policies' | 'architecture'> {
  const ofPolicy = new WeakSet()
  const noted = (policy: Plug<'policy'>): Plug<'policy'> => ({
    ...policy,
    create(env: Env) {
      try {
        return policy.create(env)
      } catch (error) {
        if (error instanceof SchedError) ofPolicy.add(error)
        throw error
      }
    },
  })
  const build = (env: ArchitectureEnv) => {
    try {
      return architecture.create(env)
    } catch (error) {
      throw error instanceof SchedError && !ofPolicy.has(error) ? under(`architecture.${architecture.name}`, error) : error
    }
  }
  const policies = Object.fromEntries(Object.entries(ofSchedulers).map(([name, policy]) => [name, noted(policy)]))
  return { policy: noted(plug), policies, architecture: { ...architecture, create: build } }
}
