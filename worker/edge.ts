/**
 * The first Worker of a container, which replaces Cloudflare's edge. It sets the address of the client and the public address,
 * removes headers that only an edge may set, and compresses. `scripts/build.ts` writes it to dist/edge.js; nothing imports it.
 */
type EdgeEnv = {
  readonly PRODUCT: Fetcher
  readonly PUBLIC_URL?: string
  readonly CLIENT_ADDRESS_HEADER?: string
}

export default {
  async fetch(request, { PRODUCT, PUBLIC_URL, CLIENT_ADDRESS_HEADER }) {
    const url = publicAddress(request.url, PUBLIC_URL)
    const headers = edgeHeaders(request.headers, CLIENT_ADDRESS_HEADER)
    // Without `cf`, because Miniflare reads it from a header that a client can send.
    const response = await PRODUCT.fetch(new Request(url, new Request(request, { headers, cf: {} })))
    return compressed(response, request.headers.get('accept-encoding') ?? '')
  },
} satisfies ExportedHandler<EdgeEnv>

/** The proxy ends TLS and may send another host. The Worker derives security headers and the origin from this address. */
function publicAddress(requestUrl: string, publicUrl: string | undefined): URL {
  const { pathname, search } = new URL(requestUrl)
  const { origin } = URL.parse(publicUrl ?? '') ?? new URL(requestUrl)
  return new URL(`${origin}${pathname}${search}`)
}

/** Requests without an address share the limits of one network. The Worker sets no limits for requests without this header. */
const unknownAddress = '0.0.0.0'

/**
 * Every proxy appends the address of its client to a list, so only the last entry is from the proxy in front of this container. A client
 * can write all others.
 */
export function edgeHeaders(given: Headers, addressHeader = ''): Headers {
  const headers = new Headers([...given].filter(([name]) => !/^(cf|mf)-/.test(name)))
  const addresses = addressHeader === '' ? null : given.get(addressHeader)
  const address = addresses?.split(',').at(-1)?.trim() || unknownAddress
  const [, bracketed, dotted] = addressWithPort.exec(address) ?? []
  headers.set('cf-connecting-ip', bracketed ?? dotted ?? address)
  return headers
}

/** Azure Application Gateway, for example, appends the port of its client too. */
const addressWithPort = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i

const compressible = /^(text\/(?!event-stream)|application\/(javascript|json|manifest\+json)|image\/svg)/

/** The runtime compresses the body of a response with this header. An event stream must not wait for a full block. */
function compressed(response: Response, acceptEncoding: string): Response {
  const coding = ['br', 'gzip'].find((name) => acceptsCoding(acceptEncoding, name))
  const isPlain = compressible.test(response.headers.get('content-type') ?? '') && !response.headers.has('content-encoding')
  if (coding === undefined || !isPlain || response.body === null || response.status === 206) return response
  const headers = new Headers(response.headers)
  headers.set('content-encoding', coding)
  headers.append('vary', 'accept-encoding')
  return new Response(response.body, { status: response.status, headers })
}

const acceptsCoding = (acceptEncoding: string, coding: string): boolean =>
  acceptEncoding.split(',').some((element) => {
    const [name, weight = '1'] = element.trim().split(/\s*;\s*q=/)
    return name === coding && Number(weight) > 0
  })
