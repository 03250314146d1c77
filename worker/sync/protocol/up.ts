/** Everything a client can say. Each message is `[tag, body]`; nothing can be said that is not in this list. */
import * as z from 'zod'
import { mutationIDSchema, wireID } from './ids.ts'
import { deleteClientsSchema, initConnectionSchema } from './init-connection.ts'
import { pushSchema } from './push.ts'
import { desiredQueriesPatchSchema } from './queries-patch.ts'

export const upBodies = {
  initConnection: initConnectionSchema,
  ping: z.object({}),
  push: pushSchema,
  changeDesiredQueries: z.object({ desiredQueriesPatch: desiredQueriesPatchSchema }),
  deleteClients: deleteClientsSchema,
  ackMutationResponses: mutationIDSchema,
  updateAuth: z.object({ auth: z.string() }),
  pull: z.object({ clientGroupID: wireID, cookie: z.string().nullable(), requestID: z.string() }),
  inspect: z.object({ id: z.string() }),
  closeConnection: z.unknown(),
} as const

type UpBodies = typeof upBodies
export type UpTag = keyof UpBodies
export type UpMessage = { [Tag in UpTag]: readonly [tag: Tag, body: z.infer<UpBodies[Tag]>] }[UpTag]
