// What schemas of @sched are made of; without the translations of messages into some fifty languages, which `zod` loads with them.
export {
  array, boolean, custom, discriminatedUnion, enum, int, lazy, literal, looseObject, number, object, partialRecord, record, strictObject,
  string, toJSONSchema, tuple, union, unknown,
} from 'zod'
export { ZodDefault, ZodObject } from 'zod'
export type { input, output, RefinementCtx, ZodNumber, ZodType } from 'zod'
