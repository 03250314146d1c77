/** Ids that browsers make: opaque, bounded, printable. */
import * as z from 'zod'
import { maxIdChars } from './limits.ts'

export const wireID = z
  .string()
  .min(1)
  .max(maxIdChars)
  .regex(/^[\x21-\x7e]+$/)

export const mutationIDSchema = z.object({ clientID: wireID, id: z.int().min(0) })
