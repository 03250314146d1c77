// Every quirk of the OpenAI protocol over every connection that reads it, with the real packages: the text, the thoughts, the calls, the ending and
// the tokens. Each answer is sent at once, and in pieces of 7 bytes, which cut events and characters.
import { describe, expect, test } from 'vitest'
import { runModel } from '../../../worker/chat/model/call.ts'
import type { ReportedUsage } from '../../../worker/chat/model/usage.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { isToolPart } from '../../../worker/contract/models/tools.ts'
import { applyChunk } from '../../../worker/contract/threads/message-stream.ts'
import { type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { searchTools } from '../../support/model-run.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import { connect, everyConnection } from '../../support/peers/provider-connections.ts'
import type { Quirk } from '../../support/peers/quirk-events.ts'
import { quirks } from '../../support/peers/quirks.ts'

const server = answeringServer()
const connections = everyConnection.filter(({ start }) => start === startOpenAICompatiblePeer)

const bytesOf = (sends: Quirk['sends']): Buffer =>
  Buffer.from(sends.map((each) => (typeof each === 'string' ? each : `data: ${JSON.stringify(each)}\n\n`)).join(''))

const later = bytesOf([{ choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }] }, 'data: [DONE]\n\n'])

async function ask(connection: (typeof connections)[number], quirk: Quirk, pieceBytes: number) {
  let requests = 0
  server.answer = async (response) => {
    requests += 1
    const bytes = requests === 1 ? bytesOf(quirk.sends) : later
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      response.write(bytes.subarray(at, at + pieceBytes))
      if (pieceBytes < bytes.length) await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }
  const { model } = connect(connection.connections(server.url), connection.provider)
  let parts: readonly MessagePart[] = []
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const reports: ReportedUsage[] = []
  const outcome = await runModel(
    {
      model,
      instructions: '',
      messages: [{ role: 'user', content: 'Hello?' }],
      tools: quirk.searches ? searchTools('tides and bread') : null,
    },
    {
      writer,
      signal: new AbortController().signal,
      nowMs: Date.now,
      maxRetries: 0,
      onResponse: () => (reported) => reports.push(reported),
    },
  )
  writer.finishStep()
  return { outcome, parts, usage: reports[0]?.usage }
}

const reasoningOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'reasoning' && 'text' in part ? [part.text] : [])).join('')

describe.each(connections)('$provider', (connection) => {
  test.each(quirks)('$name', async (quirk) => {
    const { text = '', reasoning = '', searches = [], code, usage } = quirk
    for (const pieceBytes of [Number.POSITIVE_INFINITY, 7]) {
      const answer = await ask(connection, quirk, pieceBytes)
      expect(answer.outcome).toMatchObject(code ? { ending: 'failed', failure: { code } } : { ending: 'completed' })
      expect([textOf(answer), reasoningOf(answer.parts)]).toEqual([text, reasoning])
      expect(answer.parts.filter(isToolPart).map(({ input, state }) => [input, state])).toEqual(
        searches.map((query) => [{ query }, 'output-available']),
      )
      const counts = [answer.usage?.inputTokens.total, answer.usage?.outputTokens.total]
      if (usage) expect(counts.map((count) => count || undefined)).toEqual(usage)
    }
  })
})
