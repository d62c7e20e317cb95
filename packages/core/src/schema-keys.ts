type Path = readonly PropertyKey[]

/** The fields of zod's schemas that are read here; this package depends on no library. */
interface Schema {
  readonly _zod?: { readonly def: SchemaDef }
}
interface SchemaDef {
  readonly type: string
  readonly shape?: Readonly<Record<PropertyKey, Schema>>
  readonly innerType?: Schema
  readonly options?: readonly Schema[]
  readonly discriminator?: string
  readonly values?: readonly unknown[]
  readonly element?: Schema
  readonly valueType?: Schema
  readonly in?: Schema
  readonly getter?: () => Schema
}

/**
 * Keys that a schema knows at a path; empty for a schema that is not zod's. Of branches that a word tells apart, as `kind: spread`, those of the branch
 * that the value there has the word of.
 */
export function keysAt(schema: unknown, path: Path, value?: unknown): string[] {
  return [...new Set(defsAt(schema, path, value).flatMap(({ shape }) => Object.keys(shape ?? {})))]
}

/** Words that a schema knows at a path. */
export function wordsAt(schema: unknown, path: Path): unknown[] {
  return [...new Set(defsAt(schema, path).flatMap(({ values }) => values ?? []))]
}

/** With which words, as `kind: spread`, the value at a path might have a key that is unknown there. */
export function wordsKnowing(schema: unknown, path: Path, value: unknown, key: string): string[] {
  return keysAt(schema, path, value).flatMap((field) =>
    wordsAt(schema, [...path, field]).filter((word) => keysAt(schema, path, withField(value, [...path, field], word)).includes(key)).map((word) => `${field}: ${String(word)}`))
}

/** The value with another one at a path, as far as keys go. */
function withField(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  return key === undefined ? other : { ...(value as object | undefined), [key]: withField(fieldIn(value, key), rest, other) }
}

function defsAt(schema: unknown, path: Path, value?: unknown): SchemaDef[] {
  let defs = branchesOf(schema as Schema, value)
  let inside = value
  for (const key of path) {
    inside = fieldIn(inside, key)
    defs = defs.flatMap((def) => child(def, key, inside))
  }
  return defs
}

const fieldIn = (value: unknown, key: PropertyKey): unknown => (value as Readonly<Record<PropertyKey, unknown>> | undefined | null)?.[key]

/** Where a key that is unknown at a path would be valid: one step further inside, else in the nearest enclosing mapping. */
export function placesOf(schema: unknown, path: Path, key: string): Path[] {
  const knows = (at: Path) => keysAt(schema, at).includes(key)
  const inside = keysAt(schema, path).map((step) => [...path, step]).filter(knows)
  const around = inside.length > 0 ? [] : path.map((_, i) => path.slice(0, path.length - 1 - i)).filter(knows).slice(0, 1)
  return [...inside, ...around].map((at) => [...at, key])
}

function child({ shape, element, valueType }: SchemaDef, key: PropertyKey, value?: unknown): SchemaDef[] {
  return branchesOf(shape?.[key] ?? element ?? valueType, value)
}

/** The schema without its optional, default and pipe wrappers; for a union, every branch, or the one that the value has the word of. */
function branchesOf(schema: Schema | undefined, value?: unknown): SchemaDef[] {
  const def = schema?._zod?.def
  if (def === undefined) return []
  if (def.options !== undefined) {
    const branches = def.options.flatMap((option) => branchesOf(option, value))
    const meant = value === undefined || def.discriminator === undefined ? [] : branches.filter((branch) => isMeant(branch, def.discriminator as string, value))
    return meant.length > 0 ? meant : branches
  }
  const wrapped = def.innerType ?? def.in ?? def.getter?.()
  return wrapped === undefined ? [def] : branchesOf(wrapped, value)
}

/** Whether the value has the word of this branch, or none where the branch needs none. */
function isMeant({ shape }: SchemaDef, discriminator: string, value: unknown): boolean {
  const word = fieldIn(value, discriminator)
  const field = shape?.[discriminator]
  return word === undefined ? field?._zod?.def.type === 'optional' : branchesOf(field).some(({ values }) => values?.includes(word) === true)
}
