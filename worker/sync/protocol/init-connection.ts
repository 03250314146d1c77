/** The first message of a connection; it travels in the sub-protocol when it fits there. */
import * as z from 'zod'
import { wireID } from './ids.ts'
import { desiredQueriesPatchSchema } from './queries-patch.ts'

const valueType = z.enum(['string', 'number', 'boolean', 'null', 'json'])

const clientSchemaSchema = z.object({
  tables: z.record(
    z.string(),
    z.object({ columns: z.record(z.string(), z.object({ type: valueType })), primaryKey: z.array(z.string()).optional() }),
  ),
})

export const deleteClientsSchema = z.object({ clientIDs: z.array(wireID).max(10_000).optional() })

/** The URLs and headers a client may add are ignored: this server fetches nothing on a client's behalf. */
export const initConnectionSchema = z.object({
  desiredQueriesPatch: desiredQueriesPatchSchema,
  /** Only from a client that holds nothing yet. */
  clientSchema: clientSchemaSchema.optional(),
  deleted: deleteClientsSchema.optional(),
  activeClients: z.array(wireID).max(10_000).optional(),
})

export type ClientSchema = z.infer<typeof clientSchemaSchema>
export type InitConnection = z.infer<typeof initConnectionSchema>
