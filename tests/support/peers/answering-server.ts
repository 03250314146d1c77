/** A server for the calling test file. Each test defines its responses. */
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll } from 'vitest'
import { listen } from './peer-server.ts'

export type AnsweringServer = { url: string; answer: (response: ServerResponse) => void }

export function answeringServer(): AnsweringServer {
  const given: AnsweringServer = { url: '', answer: (response) => response.writeHead(500).end() }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => given.answer(response))
  })
  beforeAll(async () => {
    given.url = `http://127.0.0.1:${await listen(server)}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return given
}
