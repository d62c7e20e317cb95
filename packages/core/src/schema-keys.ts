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
  readonly element?: Schema
  readonly valueType?: Schema
  readonly in?: Schema
  readonly getter?: () => Schema
}

/** Keys that a schema knows at a path; empty for a schema that is not zod's. */
export function keysAt(schema: unknown, path: Path): string[] {
  const inside = path.reduce<SchemaDef[]>((defs, key) => defs.flatMap((def) => child(def, key)), branchesOf(schema as Schema))
  return [...new Set(inside.flatMap(({ shape }) => Object.keys(shape ?? {})))]
}

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
