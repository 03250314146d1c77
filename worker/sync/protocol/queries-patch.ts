/** Which queries a client desires, as a difference to what it told before. */
import * as z from 'zod'
import { wireID } from './ids.ts'
import { json } from './json.ts'

/** `name` and `args` are absent when a client sends a bare AST, which is refused per query. `hash` is the client's own and opaque. */
const put = z.object({
  op: z.literal('put'),
  hash: wireID,
  ttl: z.number().optional(),
  name: z.string().max(200).optional(),
  args: z.array(json).max(1).optional(),
})
const del = z.object({ op: z.literal('del'), hash: wireID })
const clear = z.object({ op: z.literal('clear') })

export const desiredQueriesPatchSchema = z.array(z.discriminatedUnion('op', [put, del, clear])).max(2000)

export type PutDesiredQuery = z.infer<typeof put>
export type DesiredQueriesPatch = z.infer<typeof desiredQueriesPatchSchema>

/** Downstream: what the client keeps under `d/<client>/<hash>` and `g/<hash>`. */
export type QueryOp = { readonly op: 'put'; readonly hash: string; readonly ttl?: number } | { readonly op: 'del'; readonly hash: string }
