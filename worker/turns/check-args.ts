/** Checks the arguments of mutators that only the server runs. */
import type * as z from 'zod/mini'
import { namedRefusalCode } from '../contract/errors.ts'
import { refuse } from '../contract/refuse.ts'

/** Refuses invalid arguments, with the code that the schema names. */
export function checkArgs<T>(schema: z.ZodMiniType<T>, args: unknown): T {
  const { data, error, success } = schema.safeParse(args)
  if (success) return data
  throw refuse(namedRefusalCode(error.issues) ?? 'invalid_request')
}
