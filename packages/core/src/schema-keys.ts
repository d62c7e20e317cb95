type Path = readonly PropertyKey[]
type Fields = Readonly<Record<PropertyKey, unknown>>

/** The fields of zod's schemas that are read here; this package depends on no library. */
interface Schema {
  readonly _zod?: { readonly def: SchemaDef }
  readonly description?: string | undefined
}
interface SchemaDef {
  readonly type: string
  readonly shape?: Readonly<Record<PropertyKey, Schema>>
  readonly innerType?: Schema
  readonly defaultValue?: unknown
  readonly options?: readonly Schema[]
  readonly values?: readonly unknown[]
  readonly element?: Schema
  readonly valueType?: Schema
  readonly in?: Schema
  readonly getter?: () => Schema
}

/**
 * Keys that a schema knows at a path; empty for a schema that is not zod's. Of branches that a word tells apart, as `kind: spread`, those of the branch
 * of which the value there has the word.
 */
export function keysAt(schema: unknown, path: Path, value?: unknown): string[] {
  const defs = defsAt(schema, path)
  const meant = defs.filter((def) => value !== undefined && hasWordsOf(def, value as Fields))
  return unique((meant.length > 0 ? meant : defs).flatMap(({ shape = {} }) => Object.keys(shape)))
}

/** Names of the options of a schema; empty for one that is not zod's. */
export const optionNames = (schema: unknown): string[] => keysAt(schema, [])

/** Words that a schema knows at a path. */
export const wordsAt = (schema: unknown, path: Path): unknown[] => unique(defsAt(schema, path).flatMap(({ values = [] }) => values))

/** What a value stands for, as its schema describes it. */
interface Meaning {
  /** The key that is described: that of the value, or of the list or mapping by names that it is in. */
  readonly key: string
  readonly description: string
  /** What counts where the value is left out; `undefined` where that is nothing, or unknown. */
  readonly byDefault: unknown
}

/** What the value at a path stands for; `undefined` where neither it nor the list or mapping by names around it is described. */
export function meaningAt(schema: unknown, path: Path): Meaning | undefined {
  let meaning: Meaning | undefined
  let schemas = [schema as Schema]
  for (const step of path) {
    const fields = schemas.flatMap(unwrapped).map((each) => each._zod?.def)
    const isField = fields.some((def) => def?.shape?.[step] !== undefined)
    schemas = fields.flatMap((def) => def?.shape?.[step] ?? def?.element ?? def?.valueType ?? [])
    const inside = schemas.flatMap(wrappers)
    const description = inside.find((each) => each.description !== undefined)?.description
    const byDefault = inside.find(({ _zod }) => _zod?.def.type === 'default')?._zod?.def.defaultValue
    if (description !== undefined) meaning = { key: isField || meaning === undefined ? String(step) : meaning.key, description, byDefault }
    else meaning = isField || meaning === undefined ? undefined : { ...meaning, byDefault: undefined }
  }
  return meaning
}

/** A schema, and those that its optional, default and pipe wrappers are around, from the outside in. */
function wrappers(schema: Schema): Schema[] {
  const def = schema._zod?.def
  const inner = def?.innerType ?? def?.in ?? def?.getter?.()
  return inner === undefined ? [schema] : [schema, ...wrappers(inner)]
}

/** A schema without wrappers; for a union, every branch. */
const unwrapped = (schema: Schema): Schema[] => wrappers(schema).slice(-1).flatMap((each) => each._zod?.def.options?.flatMap(unwrapped) ?? [each])

/** The words, as `kind: spread`, of the branches at a path that know a key. */
export const wordsKnowing = (schema: unknown, path: Path, key: string): string[] =>
  defsAt(schema, path).flatMap((def) => (def.shape?.[key] === undefined ? [] : wordsOf(def).map(({ field, values }) => `${field}: ${values.join(' or ')}`)))

/** The fields of a mapping that can only be certain words. */
function wordsOf({ shape = {} }: SchemaDef) {
  return Object.entries(shape).flatMap(([field, schema]) => {
    const branches = branchesOf(schema)
    return branches.length > 0 && branches.every(({ values }) => values !== undefined) ? [{ field, schema, values: branches.flatMap(({ values = [] }) => values) }] : []
  })
}

/** Whether a value has the words of a mapping; one that may be left out may be. */
const hasWordsOf = (def: SchemaDef, value: Fields) =>
  wordsOf(def).every(({ field, values, schema }) => (value[field] === undefined ? schema._zod?.def.values === undefined : values.includes(value[field])))

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)]

const defsAt = (schema: unknown, path: Path): SchemaDef[] => path.reduce<SchemaDef[]>((defs, key) => defs.flatMap((def) => child(def, key)), branchesOf(schema as Schema))

/** Where a key that is unknown at a path would be valid: one step further inside, else in the nearest enclosing mapping. */
export function placesOf(schema: unknown, path: Path, key: string): Path[] {
  const knows = (at: Path) => keysAt(schema, at).includes(key)
  const inside = keysAt(schema, path).map((step) => [...path, step]).filter(knows)
  const around = inside.length > 0 ? [] : path.map((_, i) => path.slice(0, path.length - 1 - i)).filter(knows).slice(0, 1)
  return [...inside, ...around].map((at) => [...at, key])
}

function child({ shape, element, valueType }: SchemaDef, key: PropertyKey): SchemaDef[] {
  return branchesOf(shape?.[key] ?? element ?? valueType)
}

/** What is in the schema without its optional, default and pipe wrappers; for a union, in every branch. */
const branchesOf = (schema: Schema | undefined): SchemaDef[] => (schema === undefined ? [] : unwrapped(schema).flatMap((each) => each._zod?.def ?? []))
