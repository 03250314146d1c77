// Cloudflare's API of D1 exports on loopback, with failures. An export is active for some polls and then names the address of its file.
import { createServer, type ServerResponse } from 'node:http'
import { close, listen } from './peer-server.ts'

export type ExportBehaviour = {
  /** Polls before the export is complete. Default: 2. */
  readonly polls?: number
  /** Responds to these polls with status 500. The first request is number 0. */
  readonly failedPolls?: readonly number[]
  readonly fails?: 'start' | 'bookmark' | 'export' | 'file' | 'empty-file' | 'half-file' | 'page'
}

export type ExportPeer = {
  readonly url: string
  readonly token: string
  /** Exports that were started. */
  started: number
  behaviour: ExportBehaviour
  /** The exported file. */
  file: string
  stop(): Promise<void>
}

export async function startExportPeer(): Promise<ExportPeer> {
  let polls = 0
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const succeed = (response: ServerResponse, result: unknown) => send(response, 200, { success: true, errors: [], messages: [], result })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { fails, polls: needed = 2, failedPolls = [] } = peer.behaviour
    const line = `${request.method} ${request.url?.split('?')[0]}`
    if (line === 'GET /file') return sendFile(response, peer)
    if (request.headers.authorization !== `Bearer ${peer.token}`)
      return send(response, 403, { success: false, errors: [{ code: 10000, message: 'Authentication error' }], result: null })
    if (line === 'GET /accounts/a/d1/database')
      return succeed(response, [
        { uuid: 'id-2', name: 'parley-content-2' },
        ...(fails === 'start' ? [] : [{ uuid: 'id-1', name: 'parley' }]),
      ])
    if (!/^POST \/accounts\/a\/d1\/database\/id-[12]\/export$/.test(line)) return send(response, 404, { success: false, result: null })
    const { current_bookmark: bookmark } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { current_bookmark?: string }
    if (bookmark === undefined) {
      peer.started += 1
      polls = 0
    } else if (bookmark !== `bookmark-${peer.started}`) return send(response, 400, { success: false, errors: [], result: null })
    else polls += 1
    if (failedPolls.includes(polls)) return send(response, 500, { success: false, errors: [], result: null })
    if (fails === 'bookmark') return succeed(response, { success: true, type: 'export', status: 'active' })
    if (polls < needed)
      return succeed(response, { success: true, type: 'export', status: 'active', at_bookmark: `bookmark-${peer.started}` })
    if (fails === 'export') return succeed(response, { success: false, type: 'export', status: 'error', error: 'D1 was reset' })
    return succeed(response, { success: true, status: 'complete', result: { filename: 'f.sql', signed_url: `${peer.url}/file` } })
  })
  const peer: ExportPeer = {
    url: `http://127.0.0.1:${await listen(server)}`,
    token: 'a-token-of-cloudflare',
    started: 0,
    behaviour: {},
    file: '',
    stop: () => close(server),
  }
  return peer
}

function sendFile(response: ServerResponse, { behaviour: { fails }, file }: ExportPeer): void {
  if (fails === 'file') return void response.writeHead(403).end('<Error>')
  if (fails === 'page') return void response.writeHead(200).end('<!doctype html><title>Wait</title>')
  if (fails === 'empty-file') return void response.writeHead(200).end()
  response.writeHead(200, { 'content-length': Buffer.byteLength(file) })
  if (fails !== 'half-file') return void response.end(file)
  response.write(file.slice(0, file.length / 2), () => response.destroy())
}
