/** A redis-server for one test: no persistence, a free port on loopback, stopped by its process id. Null if the machine has none. */
import { spawn } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../ports.ts'

export type Reply = string | number | null | Reply[]
export type RunCommand = (command: readonly string[]) => Promise<Reply>

export async function startRedis(): Promise<{ readonly run: RunCommand; stop(): Promise<void> } | null> {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  const isThere = await happens(child, 'spawn')
  if (!isThere) return null
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const socket = await connectWhenReady(port)
  return {
    run: createClient(socket),
    stop: async () => {
      socket.destroy()
      process.off('exit', killAtExit)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** False if an error occurs instead. */
const happens = (emitter: EventEmitter, event: string): Promise<boolean> =>
  once(emitter, event).then(
    () => true,
    () => false,
  )

async function connectWhenReady(port: number): Promise<Socket> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const socket = connect(port, '127.0.0.1')
    if (await happens(socket, 'connect')) return socket
    await sleep(25)
  }
  throw new Error('redis-server did not come up')
}

/** One command at a time, in order. */
function createClient(socket: Socket): RunCommand {
  let received = Buffer.alloc(0)
  let line: Promise<unknown> = Promise.resolve()
  let wake = (): void => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const ask = async (command: readonly string[]): Promise<Reply> => {
    socket.write(`*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`)
    for (;;) {
      const parsed = parseReply(received, 0)
      if (parsed) {
        received = received.subarray(parsed.next)
        if (parsed.error !== undefined) throw new Error(parsed.error)
        return parsed.value
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return (command) => {
    const answer = line.then(() => ask(command))
    line = answer.catch(() => undefined)
    return answer
  }
}

type Parsed = { readonly value: Reply; readonly next: number; readonly error?: string }

/** RESP version 2; null while the reply is incomplete. */
function parseReply(bytes: Buffer, at: number): Parsed | null {
  const end = bytes.indexOf('\r\n', at)
  if (end === -1) return null
  const [kind, text] = [String.fromCharCode(bytes[at] ?? 0), bytes.toString('utf8', at + 1, end)]
  const next = end + 2
  if (kind === '+') return { value: text, next }
  if (kind === '-') return { value: null, next, error: text }
  if (kind === ':') return { value: Number(text), next }
  const count = Number(text)
  if (count === -1) return { value: null, next }
  if (kind === '$')
    return bytes.length < next + count + 2 ? null : { value: bytes.toString('utf8', next, next + count), next: next + count + 2 }
  const values: Reply[] = []
  let position = next
  for (let i = 0; i < count; i++) {
    const part = parseReply(bytes, position)
    if (!part) return null
    values.push(part.value)
    position = part.next
  }
  return { value: values, next: position }
}
