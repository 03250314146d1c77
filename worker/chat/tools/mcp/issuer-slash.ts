/**
 * Lets an authorization server without a path be named with or without its last slash: `https://a.org` and `https://a.org/` are the same address.
 * The SDK accepts both in the metadata of the authorization server if the tool server names it with the slash, and few tool servers do.
 */
import { isRecord } from '../../../contract/is-record.ts'
import { parsedJson } from '../../../contract/parsed-json.ts'

/** The same fetch, which adds the slash to the names in the metadata of a tool server (RFC 9728). */
export const withIssuerSlash =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    if (!response.ok || !pathname.startsWith('/.well-known/oauth-protected-resource')) return response
    const text = await response.text()
    const metadata = parsedJson(text)
    const servers = isRecord(metadata) ? metadata.authorization_servers : null
    if (!isRecord(metadata) || !Array.isArray(servers)) return new Response(text, response)
    const named = servers.map((server: unknown) =>
      typeof server === 'string' && /^https?:\/\/[^/?#]+$/.test(server) ? `${server}/` : server,
    )
    return Response.json({ ...metadata, authorization_servers: named })
  }
