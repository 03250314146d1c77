/** Mutations on their way up. `id` counts from 1 per client, without gaps; a client may push for its siblings in the group. */
import * as z from 'zod'
import { wireID } from './ids.ts'
import { json } from './json.ts'

const customMutation = z.object({
  type: z.literal('custom'),
  id: z.int().min(1),
  clientID: wireID,
  name: z.string().max(200),
  args: z.array(json),
})

/** Written by clients that enable legacy mutators; this server takes named ones only. */
const crudMutation = z.object({ type: z.literal('crud'), id: z.int().min(1), clientID: wireID })

export const pushSchema = z.object({
  clientGroupID: wireID,
  mutations: z.array(z.discriminatedUnion('type', [customMutation, crudMutation])).max(1000),
  pushVersion: z.number(),
  requestID: z.string(),
})

export type CustomMutation = z.infer<typeof customMutation>
export type Push = z.infer<typeof pushSchema>
