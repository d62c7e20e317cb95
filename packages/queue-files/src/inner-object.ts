import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError, type Place } from '@sched/core'
import { at, type Path } from './fields.js'
import type { SourceText } from './source-text.js'

/**
 * Reads the text that an object of a file holds at a path, and returns the first object in it; `undefined` if it holds none. If the text is a YAML block,
 * the lines of the inner object are those of the file; otherwise every one is the line on which the text stands. Throws `BAD_INPUT` with that line.
 */
export function innerObject(outer: KubernetesObject, path: Path, { text, file }: SourceText): KubernetesObject | undefined {
  const inner = String(at(outer.object, path))
  const outside = outer.place(...path)
  const first = outside.line ?? 1
  const isBlock = (text.split('\n')[first] ?? '').trim() === (inner.split('\n')[0] ?? '').trim()
  const placed = (line: number | undefined): Place => ({ ...outside, line: outside.line === undefined ? undefined : isBlock ? first + (line ?? 1) : first })
  try {
    const [found] = [...kubernetesObjects(inner, file)]
    return found === undefined ? undefined : { ...found, place: (...fields) => ({ ...placed(found.place(...fields).line), field: found.place(...fields).field }) }
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    throw new SchedError('BAD_INPUT', error.fact, placed(error.place.line), error.wayOut)
  }
}
