import { YamlSource } from '@sched/cluster'
import { nearest, SchedError } from '@sched/core'
import { fieldsOf, textOf, type Path } from '../fields.js'
import type { Setting } from '../setting.js'
import type { SourceText } from '../source-text.js'
import type { Declared } from './declared.js'

/** A topology of a topology.yaml. */
export interface NamedTopology {
  readonly name: Setting
  readonly kind: 'tree' | 'block' | 'flat'
  /** Its switches or its blocks, as lines of a topology.conf would declare them. */
  readonly switches: readonly Declared[]
  readonly blockSizes?: Setting | undefined
}

/** The topologies of a topology.yaml. */
export interface Topologies {
  /** All of them, at least one. */
  readonly all: readonly NamedTopology[]
  /** The one of partitions that name none. */
  readonly ofOthers: NamedTopology
}

/**
 * Reads a topology.yaml. Partitions that name no topology have the first with `cluster_default: true`, or else the first. Throws `BAD_INPUT` with the line.
 *
 * Source: Slurm 25.05, topology.yaml(5).
 */
export function readTopologies(source: SourceText): Topologies {
  const yaml = new Yaml(source)
  const all: NamedTopology[] = []
  let ofOthers: NamedTopology | undefined
  for (const path of yaml.items([], KEYS)) {
    const name = yaml.word([...path, 'topology'])
    if (all.some((other) => other.name.value === name.value)) throw yaml.bad([...path, 'topology'], `topology "${name.value}" was declared before.`, 'Give every topology another name.')
    const found = topologyOf(name, path, yaml)
    if (yaml.isTrue([...path, 'cluster_default'])) ofOthers ??= found
    all.push(found)
  }
  const [first] = all
  if (first === undefined) throw yaml.bad([], 'has no topology.', 'Name one, with a tree, with blocks or flat, or take the file away.')
  return { all, ofOthers: ofOthers ?? first }
}

const KEYS = ['topology', 'cluster_default', 'tree', 'block', 'flat']

function topologyOf(name: Setting, path: Path, yaml: Yaml): NamedTopology {
  const kinds = (['tree', 'block', 'flat'] as const).filter((kind) => yaml.has([...path, kind]))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1)
    throw yaml.bad([...path, 'topology'], `topology "${name.value}" is ${kinds.length === 0 ? 'of no kind' : kinds.join(' and ')}.`, 'Give it one of tree, block and flat.')
  if (kind === 'flat') {
    if (!yaml.isTrue([...path, kind])) throw yaml.bad([...path, kind], 'found false, of a topology that is of no other kind.', 'Write flat: true, or give it a tree or blocks.')
    return { name, kind, switches: [] }
  }
  const inside = [...path, kind]
  yaml.keys(inside, kind === 'tree' ? ['switches'] : ['block_sizes', 'blocks'])
  if (kind === 'tree') return { name, kind, switches: yaml.items([...inside, 'switches'], ['switch', 'children', 'nodes']).map((each) => declared(each, 'switch', yaml)) }
  const switches = yaml.items([...inside, 'blocks'], ['block', 'nodes']).map((each) => declared(each, 'block', yaml))
  return { name, kind, switches, blockSizes: yaml.has([...inside, 'block_sizes']) ? yaml.list([...inside, 'block_sizes']) : undefined }
}

/** A switch or a block in the form of a line of a topology.conf. */
function declared(path: Path, what: 'switch' | 'block', yaml: Yaml): Declared {
  const settings = ([['children', 'switches'], ['nodes', 'nodes']] as const).filter(([key]) => yaml.has([...path, key])).map(([key, name]) => [name, yaml.list([...path, key])] as const)
  const name = yaml.word([...path, what])
  if (settings.length === 0) throw yaml.bad([...path, what], `${what} "${name.value}" has no nodes.`, what === 'switch' ? 'Give it nodes, or children, which are switches.' : 'Give it nodes.')
  return { name, settings: new Map(settings) }
}

/** Reads values at paths of the file. Every method throws `BAD_INPUT` with the line if the value is not what it reads. */
class Yaml {
  readonly #yaml: YamlSource

  constructor({ text, file }: SourceText) {
    this.#yaml = new YamlSource(text, file)
  }

  has(path: Path): boolean {
    return (this.#at(path) ?? null) !== null
  }

  /** The paths of the items of a list, each of which must be a mapping with no keys but `known`. */
  items(path: Path, known: readonly string[]): Path[] {
    const list = this.#at(path)
    if (!Array.isArray(list)) throw this.#unexpected(path, 'a list')
    return list.map((_, i) => {
      this.keys([...path, i], known)
      return [...path, i]
    })
  }

  /** Checks that a value is a mapping with no keys but `known`. */
  keys(path: Path, known: readonly string[]): void {
    const value = this.#at(path)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#unexpected(path, `a mapping with ${known.join(', ')}`)
    const odd = Object.keys(value).find((key) => !known.includes(key))
    if (odd === undefined) return
    const close = nearest(odd, known)
    throw this.bad([...path, odd], 'is not known.', close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`)
  }

  /** Whether a value is true; absent: false. */
  isTrue(path: Path): boolean {
    const value = this.#at(path) ?? false
    if (typeof value !== 'boolean') throw this.#unexpected(path, 'true or false')
    return value
  }

  /** A name or a number, as a setting. */
  word(path: Path): Setting {
    const value = this.#at(path)
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') throw value === undefined ? this.bad(path, 'is missing.', 'Give it a name.') : this.#unexpected(path, 'a name')
    return this.#setting(path, String(value))
  }

  /** A list of names or numbers, or a single one, as a setting with commas between them. */
  list(path: Path): Setting {
    const value = this.#at(path)
    const parts = Array.isArray(value) ? (value as unknown[]) : [value]
    if (parts.length === 0 || !parts.every((part) => typeof part === 'string' || typeof part === 'number')) throw this.#unexpected(path, 'names or numbers')
    return this.#setting(path, parts.join())
  }

  bad(path: Path, fact: string, wayOut: string): SchedError {
    const key = path.filter((part) => typeof part === 'string').at(-1)
    return new SchedError('BAD_INPUT', fact, { file: this.#yaml.file, line: this.#line(path), ...(key !== undefined && { field: key }) }, wayOut)
  }

  #unexpected(path: Path, expected: string): SchedError {
    return this.bad(path, `found ${textOf(this.#at(path) ?? null).slice(0, 40)}, expected ${expected}.`, 'A topology is written as topology.yaml(5) says.')
  }

  #at(path: Path): unknown {
    return path.reduce<unknown>((found, key) => fieldsOf(found)[key], this.#yaml.value)
  }

  #line(path: Path): number {
    return this.#yaml.place(path).line ?? 1
  }

  #setting(path: Path, value: string): Setting {
    return { name: String(path.at(-1)), value, file: this.#yaml.file ?? '', line: this.#line(path) }
  }
}
