type Path = readonly PropertyKey[]
type Fields = Readonly<Record<PropertyKey, unknown>>

/** The fields of zod's schemas that are read here; this package depends on no library. */
interface Schema {
  readonly _zod?: { readonly def: SchemaDef }
}
interface SchemaDef {
  readonly type: string
  readonly shape?: Readonly<Record<PropertyKey, Schema>>
  readonly innerType?: Schema
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

/** The schema without its optional, default and pipe wrappers; for a union, every branch. */
function branchesOf(schema: Schema | undefined): SchemaDef[] {
  const def = schema?._zod?.def
  if (def === undefined) return []
  if (def.options !== undefined) return def.options.flatMap(branchesOf)
  const wrapped = def.innerType ?? def.in ?? def.getter?.()
  return wrapped === undefined ? [def] : branchesOf(wrapped)
}
