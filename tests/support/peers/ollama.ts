/** The model list of an Ollama: installed models and their capabilities. */
import { createServer } from 'node:http'
import { close, listen } from './peer-server.ts'

export type OllamaPeer = {
  /** Ends with /v1, as in the setting. */
  readonly url: string
  /** Installed models by name, with their capabilities as Ollama names them. */
  readonly installed: Map<string, readonly string[]>
  /** Names whose details request fails. */
  readonly broken: Set<string>
  /** Names whose details were requested. */
  readonly asked: readonly string[]
  /** The next requests get no response. */
  mute(requests: number): void
  stop(): Promise<void>
}

export async function startOllamaPeer(models: { readonly [name: string]: readonly string[] }): Promise<OllamaPeer> {
  const installed = new Map(Object.entries(models))
  const broken = new Set<string>()
  const asked: string[] = []
  let muted = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (muted > 0) {
      muted -= 1
      return
    }
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    // As in Ollama, a model reinstalled under its old name has another digest.
    const models = [...installed].map(([name, words]) => ({ name, size: 1, digest: `${name} ${words.join()}` }))
    if (request.url === '/api/tags') return answer(200, { models })
    if (request.url === '/v1/models')
      return answer(200, { object: 'list', data: [...installed.keys()].map((id) => ({ id, object: 'model' })) })
    if (request.url !== '/api/show') return answer(404, { error: 'not found' })
    const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string }
    asked.push(model)
    if (broken.has(model)) return answer(500, { error: 'no such layer' })
    const capabilities = installed.get(model) ?? installed.get(`${model}:latest`)
    return capabilities ? answer(200, { capabilities }) : answer(404, { error: 'no such model' })
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    installed,
    broken,
    asked,
    mute: (requests) => {
      muted = requests
    },
    stop: () => close(server),
  }
}
