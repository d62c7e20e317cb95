import { checkDefinition, checkMade } from './check-made.js'
import { checkPlug } from './check-plug.js'
import { SchedError, suggest } from './error.js'
import { fieldOf } from './field-of.js'
import { describeIssues, type SchemaIssue } from './issue.js'
import type { Kind, Kinds } from './kinds.js'
import type { FormatTraits } from './traces.js'

/** The synchronous part of the Standard Schema interface: a plug-in may validate its options with any library or by hand. */
export interface OptionsSchema<Options, Input = unknown> {
  /** The interface as its specification defines it: version 1, the name of the library, and a function that validates a value. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Options> | Promise<SchemaResult<Options>>
    readonly types?: { readonly input: Input; readonly output: Options } | undefined
  }
}
type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** A chosen and configured part of a scheduling system, ready to be built once per run. */
export interface Plug<K extends Kind> {
  /** The kind of plug. */
  readonly kind: K
  /** Name of its definition, or of the preset that was asked for. */
  readonly name: string
  /** Builds the part for one run; nothing is kept from one run to the next. Throws `SchedError` if the part does not suit the cluster. */
  create(env: Kinds[K]['env']): Kinds[K]['made']
}

type PartKind = 'order' | 'policy' | 'placement'
/** Kinds of the parts inside a wrapper: a discipline wraps an order, a preempting wrapper wraps a policy. A part with `?` may be left out. */
export type Inner = Readonly<Record<string, PartKind | `${PartKind}?`>>
type InnerPlugs<I extends Inner> = {
  readonly [N in keyof I]: I[N] extends `${infer P extends PartKind}?` ? Plug<P> | undefined : I[N] extends PartKind ? Plug<I[N]> : never
}

/** What the author of a plug-in writes. */
export interface Definition<K extends Kind, Options, I extends Inner, Input = unknown> {
  /** Kind of the plugs that it makes. */
  readonly kind: K
  /** Unique among definitions and presets of its kind. */
  readonly name: string
  /** One line for listings. */
  readonly summary: string
  /** Where it is published: paper, section, algorithm. */
  readonly source?: string
  /** Schema of its options. Absent: it has none. */
  readonly options?: OptionsSchema<Options, Input>
  /** Parts it wraps, by option name, for example `{ order: 'order', placement: 'placement?' }`. */
  readonly inner?: I
  /** Names of the plugs to use for parts that are not given, for example `{ order: 'fifo' }`. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Builds the part for one run from checked options and the plugs of its inner parts, which it builds itself. */
  create(options: Options, env: Kinds[K]['env'], inner: InnerPlugs<I>): Kinds[K]['made']
}

/** The options as code may pass them: read-only at every depth. */
type AsGiven<Input> = Input extends object ? { readonly [K in keyof Input]: AsGiven<Input[K]> } : Input

/** A definition as a registry keeps it. Code without a registry makes its plug directly: `defined.plug({ order: fifo() }, { most: 3 })`. */
export interface Defined<K extends Kind, Options = unknown, I extends Inner = Inner, Input = unknown> extends Omit<Definition<K, Options, I>, 'inner' | 'options'> {
  /** Schema of its options; for a definition without options, one that accepts none. */
  readonly options: OptionsSchema<Options>
  /** Kinds of the parts it wraps, by option name; it does not say which may be left out. */
  readonly inner: Readonly<Record<string, PartKind>>
  /**
   * Checks the options at once and makes the plug; the options have the type of the schema's input, where it has one. Throws `BAD_OPTION` with the
   * option's path, which starts with `path` (default: the name), also for a required part that is missing and for a part of another kind.
   */
  readonly plug: (inner: InnerPlugs<I>, ...options: OptionsAsGiven<Input>) => Plug<K>
}

/** Arguments of `plug`: the options, which may be left out only if none is required, and the path for messages about them. */
type OptionsAsGiven<Input> = unknown extends Input
  ? [options?: unknown, path?: string]
  : Record<never, never> extends AsGiven<Input>
    ? [options?: AsGiven<Input>, path?: string]
    : [options: AsGiven<Input>, path?: string]


/**
 * Turns what an author wrote into a definition. Built-ins and third-party plug-ins both go this way. Throws `BROKEN_CONTRACT` if a program without
 * types gives options that are no schema, or a part of no known kind.
 */
export function define<K extends Kind, Options, const I extends Inner = Record<never, never>, Input = unknown>(
  definition: Definition<K, Options, I, Input>,
): Defined<K, Options, I, Input> {
  checkDefinition(definition)
  const inner = Object.entries(definition.inner ?? {})
  const schema = definition.options ?? (noOptions as OptionsSchema<Options>)
  return {
    ...definition,
    options: schema,
    inner: Object.fromEntries(inner.map(([part, kind]) => [part, kind.replace('?', '') as PartKind])),
    plug(parts, ...[options, path = definition.name]) {
      const [missing] = inner.find(([part, kind]) => !kind.endsWith('?') && parts[part] === undefined) ?? []
      if (missing !== undefined)
        throw new SchedError(
          'BAD_OPTION',
          `"${definition.name}" has no \`${missing}\`, which it is built around.`,
          { field: `${path}.${missing}` },
          'Give one.',
        )
      for (const [part, kind] of inner) if (parts[part] !== undefined) checkPlug(kind.replace('?', '') as PartKind, parts[part], `${path}.${part}`)
      const checked = checkOptions(path, schema, options ?? {})
      return {
        kind: definition.kind,
        name: definition.name,
        create: (env) => checkMade(definition.kind, definition.name, definition.create(checked, env, parts)),
      }
    },
  }
}

/** The schema of a definition without options: it refuses every key. */
const noOptions: OptionsSchema<unknown> = {
  '~standard': {
    version: 1,
    vendor: 'sched',
    validate(value) {
      const [key] = Object.keys(value as object)
      return key === undefined ? { value: {} } : { issues: [{ message: `unknown key "${key}"; it has no options`, path: [key], params: { wayOut: 'Leave it out.' } }] }
    },
  },
}

/** Defines a policy: whose work goes next, and whether it may go now. */
export const definePolicy = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'policy', Options, I, Input>, 'kind'>) =>
  define<'policy', Options, I, Input>({ ...d, kind: 'policy' })
/** Defines an order of pending jobs, for disciplines to read. */
export const defineOrder = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'order', Options, I, Input>, 'kind'>) =>
  define<'order', Options, I, Input>({ ...d, kind: 'order' })
/** Defines a placement: which node a task goes to. */
export const definePlacement = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'placement', Options, I, Input>, 'kind'>) =>
  define<'placement', Options, I, Input>({ ...d, kind: 'placement' })
/** Defines an architecture: who decides, seeing what, and how decisions become real. */
export const defineArchitecture = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'architecture', Options, I, Input>, 'kind'>) =>
  define<'architecture', Options, I, Input>({ ...d, kind: 'architecture' })

/** Defines a metric: what is measured of a run. */
export const defineMetric = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'metric', Options, I, Input>, 'kind'>) =>
  define<'metric', Options, I, Input>({ ...d, kind: 'metric' })
/** Defines a generator: jobs that are drawn. Its `open` must give the same jobs every time. */
export const defineGenerator = <Options, const I extends Inner = Record<never, never>, Input = unknown>(d: Omit<Definition<'generator', Options, I, Input>, 'kind'>) =>
  define<'generator', Options, I, Input>({ ...d, kind: 'generator' })
/** Defines a format of traces: how their lines become jobs, and by what they are known. */
export const defineFormat = <Options, const I extends Inner = Record<never, never>, Input = unknown>(
  d: Omit<Definition<'format', Options, I, Input>, 'kind'> & FormatTraits<Options>,
) => define<'format', Options, I, Input>({ ...d, kind: 'format' })

/**
 * The options as the schema returns them, with defaults filled in. Throws `BAD_OPTION`; the message for an unknown name suggests the nearest known
 * one.
 */
export function checkOptions<Options>(path: string, schema: OptionsSchema<Options>, value: unknown): Options {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new SchedError('BROKEN_CONTRACT', `options of "${path}" are validated asynchronously.`, {}, 'Give a schema that answers at once.')
  if (result.issues === undefined) return result.value
  const { at, fact, wayOut } = describeIssues(schema, value, result.issues)
  throw new SchedError('BAD_OPTION', fact, { field: fieldOf([path, ...at]) }, wayOut)
}

/** A short name for a common combination, for example `hfs`. */
export interface Preset {
  /** Kind of the plug that it stands for. */
  readonly kind: Kind
  /** Unique among definitions and presets of its kind. */
  readonly name: string
  /** One line for listings. */
  readonly summary: string
  /** Where it is published. */
  readonly source?: string
  /** The combination as a configuration file would write it: see `resolve`. */
  readonly config: string | { readonly [name: string]: unknown }
}

/** Definitions and presets by kind and name. It refuses a taken name; for an unknown one it suggests the nearest known. */
export class Registry {
  readonly #byKind = new Map<Kind, Map<string, Defined<Kind>>>()
  readonly #presets: Preset[] = []

  /** Adds a definition. Throws `TAKEN_NAME` if a definition or preset of the kind has the name. */
  add<K extends Kind, Options, I extends Inner, Input>(definition: Defined<K, Options, I, Input>): this {
    this.#refuseTaken(definition.kind, definition.name, 'plug-in')
    const named = this.#named(definition.kind)
    named.set(definition.name, definition as unknown as Defined<Kind>)
    return this
  }

  /** The definition of a name. Throws `UNKNOWN_NAME`, with the nearest known name. */
  get<K extends Kind>(kind: K, name: string): Defined<K> {
    const found = this.#named(kind).get(name)
    if (found === undefined) throw new SchedError('UNKNOWN_NAME', `no ${kind} is called "${name}".`, {}, suggest(name, this.names(kind)))
    return found as unknown as Defined<K>
  }

  /** Adds a preset. Throws `TAKEN_NAME`, as `add`. */
  addPreset(preset: Preset): this {
    this.#refuseTaken(preset.kind, preset.name, 'preset')
    this.#presets.push(preset)
    return this
  }

  /** The preset of the name, `undefined` if there is none. */
  preset(kind: Kind, name: string): Preset | undefined {
    return this.#presets.find((preset) => preset.kind === kind && preset.name === name)
  }

  /** All presets of a kind, in the order in which they were added. */
  presets(kind: Kind): Preset[] {
    return this.#presets.filter((preset) => preset.kind === kind)
  }

  /** Whether there is a definition of the name; presets do not count. */
  has(kind: Kind, name: string): boolean {
    return this.#named(kind).has(name)
  }

  /** Names of the definitions of a kind, sorted; presets are not among them. */
  names(kind: Kind): string[] {
    return [...this.#named(kind).keys()].sort()
  }

  /** Definitions of a kind, sorted by name. */
  list(kind: Kind): Defined<Kind>[] {
    return this.names(kind).map((name) => this.get<Kind>(kind, name))
  }

  /** Definitions of a kind, in the order in which they were added. */
  added<K extends Kind>(kind: K): Defined<K>[] {
    return [...this.#named(kind).values()] as unknown as Defined<K>[]
  }

  #refuseTaken(kind: Kind, name: string, what: string): void {
    if (this.has(kind, name) || this.preset(kind, name) !== undefined)
      throw new SchedError('TAKEN_NAME', `${kind} "${name}" is already registered`, {}, `Give the ${what} another name.`)
  }

  #named(kind: Kind): Map<string, Defined<Kind>> {
    const named = this.#byKind.get(kind) ?? new Map<string, Defined<Kind>>()
    this.#byKind.set(kind, named)
    return named
  }
}
