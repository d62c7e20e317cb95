import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Description } from './experiment.js'
import { fieldPath } from './field-path.js'
import { filesNamedIn } from './files-named-in.js'
import type { ExperimentOptions } from './given-options.js'
import { locate } from './plug-ins.js'
import { filesOf } from './queues.js'
import type { ExperimentSpec } from './schema.js'

/** An experiment with the paths of all files that it names changed; `from` is the directory that they are relative to. */
export function withPaths({ matrix, ...spec }: ExperimentSpec, from: string, moved: Move): ExperimentSpec {
  const changed = (value: unknown, place = '') => withFiles(value, place, from, moved)
  return { ...(changed(spec) as ExperimentSpec), ...(matrix !== undefined && { matrix: withAxes(matrix, changed) }) }
}

/** All files of an experiment as whole paths: its own, those it names and what these name, and the mapping of columns that the command line names. */
export async function filesRead({ spec, directory, source }: Description, { mapping }: Pick<ExperimentOptions, 'mapping'>, cwd: string): Promise<string[]> {
  const files = [source?.file, mapping].flatMap((path) => (path === undefined ? [] : [resolve(cwd, path)]))
  const naming: string[] = []
  withPaths(spec, directory, (path, place) => {
    files.push(place === 'plugins[]' ? moduleAt(path, directory) : resolve(directory, path))
    if (/^(cluster|queues|yarnSite)\b/.test(place)) naming.push(resolve(directory, path))
    return path
  })
  return [...files, ...(await Promise.all(naming.map(filesNamedIn))).flat()]
}

/** The file of a plug-in, of which the folder may be named. */
function moduleAt(path: string, directory: string): string {
  const url = locate(path, directory)
  return url.startsWith('file:') ? fileURLToPath(url) : path
}

/** Another path for one that stands at a place. */
type Move = (path: string, place: string) => string

/** How the files that a text names are changed. */
type Change = (written: string, how: { readonly from: string; readonly moved: (path: string) => string }) => string

const file: Change = (written, { moved }) => moved(written)
const joined: Change = (written, { from, moved }) => filesOf(written, from).map(moved).join('+')
const plugin: Change = (written, { moved }) => (/^(\.|\/)/.test(written) ? moved(written).replace(/^(?!\.)/, './') : written)
const running: Change = (written, { moved }) => (written === 'workload' ? written : moved(written))

/** Where an experiment names files; `[]` stands for any entry of a list. */
const files: Readonly<Record<string, Change>> = {
  'plugins[]': plugin,
  cluster: file,
  'cluster.nodes': file,
  'workload.trace': file,
  'workload.distributions.interarrival': file,
  'workload.distributions.csizes': file,
  'workload.distributions.runtimes': file,
  'workload.google.taskEvents[]': file,
  'workload.google.jobEvents[]': file,
  'workload.google.machines': file,
  prefill: running,
  'prefill.from': running,
  outages: file,
  'outages[]': file,
  'outages.file': file,
  'outages[].file': file,
  queues: joined,
  'queues[]': joined,
  yarnSite: joined,
}
/** A policy that has a file may stand inside others. */
const model = /^polic(y|ies\[\])\..*\bbayes-comm\.model$/

/** What stands at a place of an experiment, with the files in it changed. */
function withFiles(value: unknown, place: string, from: string, moved: Move): unknown {
  if (typeof value === 'string') return (files[place] ?? (model.test(place) ? file : undefined))?.(value, { from, moved: (path) => moved(path, place) }) ?? value
  if (Array.isArray(value)) return value.map((each) => withFiles(each, `${place}[]`, from, moved))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFiles(each, place === '' ? key : `${place}.${key}`, from, moved)]))
}

type Matrix = NonNullable<ExperimentSpec['matrix']>

/** A matrix whose values are changed as they are where their paths lead. */
function withAxes(matrix: Matrix, changed: (value: unknown, place: string) => unknown): Matrix {
  const at = (path: string, value: unknown) => changed(value, placeOf(path))
  const settings = (given: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(given).map(([path, value]) => [path, at(path, value)]))
  return Object.fromEntries(
    Object.entries(matrix).map(([name, given]) => [
      name,
      Array.isArray(given) ? given.map((value: unknown) => at(name, value)) : Object.fromEntries(Object.entries(given).map(([label, each]) => [label, settings(each)])),
    ]),
  )
}

const placeOf = (path: string): string => fieldPath(path).reduce<string>((place, key) => (typeof key === 'number' ? `${place}[]` : `${place}${place === '' ? '' : '.'}${key}`), '')
