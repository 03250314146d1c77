/**
 * Who a magic link was asked by. A link opened by that person, or where nobody is signed in, signs in at once. Whoever did not ask for it is
 * asked first: it may have been sent by somebody who wants a guest's threads, or what is written next, in an account of their own.
 * The proof is bound to the link and the person, and only the server can make one. It travels as `guest`, because guests mostly ask.
 */
type LinkQuery = { readonly token: string; readonly guest?: unknown; readonly callbackURL?: unknown; readonly errorCallbackURL?: unknown }

export async function linkProof(secret: string, token: string, userId: string): Promise<string> {
  const encoder = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`link of guest:${token}:${userId}`))
  return [...new Uint8Array(signature).slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const isLinkOf = async (secret: string, { token, guest }: LinkQuery, userId: string): Promise<boolean> =>
  guest === (await linkProof(secret, token, userId))

/** The page that asks; from there the same link goes on, with a proof for whoever was asked. */
export async function withLinkProof(secret: string, origin: string, query: LinkQuery, userId: string): Promise<string> {
  const page = new URL('/magic-link', origin)
  const { token, callbackURL, errorCallbackURL } = query
  const kept = { token, callbackURL, errorCallbackURL, guest: await linkProof(secret, token, userId) }
  for (const [name, value] of Object.entries(kept)) if (typeof value === 'string') page.searchParams.set(name, value)
  return page.href
}
