/**
 * The one sub-protocol of the upgrade: URI-encoded base64 of UTF-8 JSON `{initConnectionMessage?, authToken?}`.
 * The server has to echo the exact value, or browsers drop the connection.
 */
import * as z from 'zod'
import { bytesOfBase64 } from '../../lib/base64.ts'
import { initConnectionSchema } from './init-connection.ts'

const subProtocolSchema = z.object({
  initConnectionMessage: z.tuple([z.literal('initConnection'), initConnectionSchema]).optional(),
  authToken: z.string().optional(),
})

export type SubProtocol = z.infer<typeof subProtocolSchema>

/** Null when the header is not what the client writes. */
export function decodeSubProtocol(header: string): SubProtocol | null {
  try {
    const bytes = bytesOfBase64(decodeURIComponent(header))
    const parsed = subProtocolSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : null
  } catch {
    // Neither URI encoding, base64 nor JSON: the caller answers for all of them alike.
    return null
  }
}
