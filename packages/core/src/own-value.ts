/**
 * What a record from outside says under a name from outside: `undefined` where it says nothing, also for names that all objects know, such as
 * `constructor`.
 */
export const ownValue = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined => (record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined)
