import * as z from '@sched/bundled/zod'

/** The settings of an account, of its users, and of the accounts inside it. */
export type AccountTree<S extends object> = S & {
  readonly users?: Readonly<Record<string, S>> | undefined
  readonly usersOfPartitions?: Readonly<Record<string, Readonly<Record<string, S>>>> | undefined
  readonly accounts?: Readonly<Record<string, AccountTree<S>>> | undefined
}

/** The options of an account whose settings its users may have, too. `users` and `usersOfPartitions` say of these what they have. */
export function accountOptions<Shape extends Readonly<Record<string, z.ZodType>>>(
  settings: Shape,
  users = 'its users, with limits of their own',
  usersOfPartitions = 'by partition, users for their jobs there',
): z.ZodType<AccountTree<z.output<z.ZodObject<Shape>>>> {
  const user = z.strictObject(settings)
  const account: z.ZodType = z.lazy(() =>
    z.strictObject({
      ...settings,
      users: z.record(z.string(), user).optional().describe(users),
      usersOfPartitions: z.record(z.string(), z.record(z.string(), user)).optional().describe(usersOfPartitions),
      accounts: z.record(z.string(), account).optional().describe('accounts inside it'),
    }),
  )
  return account as z.ZodType<AccountTree<z.output<z.ZodObject<Shape>>>>
}
