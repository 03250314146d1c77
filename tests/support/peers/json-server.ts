/** A server that responds to each path of a table with its JSON, and forwards the others to another server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { close, listen } from './peer-server.ts'

export type JsonServer = { readonly url: string; readonly asked: readonly string[]; stop(): Promise<void> }

/** `answers` may change later. `others`: the origin of the other server. */
export async function startJsonServer(answers: Record<string, unknown>, others: string | null = null): Promise<JsonServer> {
  const asked: string[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse, body: string) => {
    const { method = 'GET', url } = request
    const forwarded = await fetch(`${others}${url}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    })
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' })
    for await (const chunk of forwarded.body ?? []) response.write(chunk)
    response.end()
  }
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '/'
      asked.push(path)
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      if (!(path in answers) && others !== null)
        return pass(request, response, Buffer.concat(chunks).toString()).catch(() => response.destroy())
      response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(answers[path] ?? { error: 'not found' }))
    })()
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () => close(server),
  }
}
