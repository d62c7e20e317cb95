import type { Fields } from '../json/fields.js'
import type { BadLine } from '../trace/format.js'
import { marksOf } from './objects.js'

const PREFIX = 'kueue.x-k8s.io/podset-'
const REQUIRED = `${PREFIX}required-topology`
const PREFERRED = `${PREFIX}preferred-topology`
const UNCONSTRAINED = `${PREFIX}unconstrained-topology`
const GROUP = `${PREFIX}group-name`
const SLICE = `${PREFIX}slice-required-topology`
const SIZE = `${PREFIX}slice-size`
const LAYERS = `${PREFIX}slice-required-topology-constraints`

/** Kueue allows so many layers of slices. */
const MOST_LAYERS = 3

type Refuse = (key: string, why: string) => BadLine

interface Levels {
  readonly required: string | undefined
  readonly preferred: string | undefined
  readonly group: string | undefined
  readonly slices: readonly AskedSlice[] | undefined
}

interface AskedSlice {
  readonly level: string
  readonly size: number
}

/**
 * The levels that annotations for Kueue ask for. `count`: the number of pods, where it is known. Throws `BadLine` for what Kueue refuses, with its words.
 *
 * Source: Kueue, pkg/controller/jobframework/tas_validation.go (ValidateTASPodSetRequest, ValidateSliceSizeAnnotationUpperBound), with the gate
 * TASGroupedPodSetSlicing as it is since 0.20, open.
 */
export function levelsByKueue(metadata: Fields, count = Infinity): Levels {
  const mark = marksOf(metadata)
  const refuse: Refuse = (key, why) => (metadata.object('annotations') ?? metadata).bad(key, `${why}.`, 'Give what Kueue accepts')
  const [required, preferred, group] = [mark(REQUIRED), mark(PREFERRED), mark(GROUP)]
  const given = [REQUIRED, PREFERRED, UNCONSTRAINED].filter((key) => mark(key) !== undefined)
  if (given.length > 1) throw refuse(given[1] as string, `may not be set when '${given[0]}' is specified`)
  if (group !== undefined) checkGroup(group, required ?? preferred, refuse)
  const slices = slicesOf(mark, refuse)
  const [outer] = slices
  if (outer !== undefined && outer.size > count) throw refuse(mark(SIZE) === undefined ? LAYERS : SIZE, `must not be greater than pod set count ${count}`)
  return { required, preferred, group, slices: outer === undefined ? undefined : slices }
}

function checkGroup(group: string, level: string | undefined, refuse: Refuse): void {
  if (/^\d+$/.test(group)) throw refuse(GROUP, 'must not be a number')
  if (level === undefined) throw refuse(GROUP, `may not be set when neither '${PREFERRED}' nor '${REQUIRED}' is specified`)
}

function slicesOf(mark: (key: string) => string | undefined, refuse: Refuse): readonly AskedSlice[] {
  const [level, size, layers] = [mark(SLICE), mark(SIZE), mark(LAYERS)]
  if (layers !== undefined) {
    for (const key of [SLICE, SIZE]) if (mark(key) !== undefined) throw refuse(LAYERS, `may not be set when '${key}' is specified`)
    return layersOf(layers, (why) => refuse(LAYERS, why))
  }
  if (level === undefined && size !== undefined) throw refuse(SIZE, `may not be set when '${SLICE}' is not specified`)
  if (level === undefined) return []
  if (size === undefined) throw refuse(SIZE, `must be set when '${SLICE}' is specified`)
  if (!/^[+-]?\d+$/.test(size)) throw refuse(SIZE, 'must be a numeric value')
  if (Number(size) < 1) throw refuse(SIZE, 'must be greater than or equal to 1')
  return [{ level, size: Number(size) }]
}

/** Layers of slices, the outermost first. Whether each is below the one before is known only with a Topology. */
function layersOf(text: string, refuse: (why: string) => BadLine): readonly AskedSlice[] {
  const layers = listIn(text)
  if (layers === undefined) throw refuse('must be a valid JSON array')
  if (layers.length === 0 || layers.length > MOST_LAYERS) throw refuse(`must have 1 to ${MOST_LAYERS} entries`)
  const slices = layers.map((each, i): AskedSlice => {
    const { topology, size } = (typeof each === 'object' && each !== null ? each : {}) as Readonly<Record<string, unknown>>
    if (typeof topology !== 'string' || topology === '') throw refuse(`[${i}].topology is missing`)
    if (typeof size !== 'number' || !Number.isInteger(size) || size < 1) throw refuse(`[${i}].size must be greater than or equal to 1`)
    return { level: topology, size }
  })
  for (const [i, { level, size }] of slices.entries()) {
    const around = slices[i - 1]
    if (slices.findIndex((each) => each.level === level) < i) throw refuse(`[${i}].topology is a duplicate`)
    if (around !== undefined && around.size % size !== 0) throw refuse(`[${i}].size must evenly divide the parent layer size ${around.size}`)
  }
  return slices
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
