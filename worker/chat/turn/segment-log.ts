/**
 * The numbered chunks of one answer. They are stored in segments, one row for many chunks. A slow answer extends its newest segment until that is
 * full, so that the number of rows depends on the length of the answer only. Chunks can be read from any number on, stored or not.
 *
 * Invariants: chunk numbers are 1, 2, 3 … without a gap; only the newest segment changes, and only grows; a read after number n begins with
 * n + 1. A crash loses unflushed chunks: at most `segmentFlushMs` of an answer.
 */

import { segmentFlushBytes, segmentFlushMs } from '../../contract/limits.ts'
import { encodeChunk } from '../../contract/threads/event-stream.ts'
import type { StreamChunk } from '../../contract/threads/message-stream.ts'
import { utf8Bytes } from '../../lib/utf8.ts'
import type { Later, Sql } from './turn-state.ts'

/** Stored at once: a tool call whose result is lost would be repeated. */
const toolBoundaries: ReadonlySet<StreamChunk['type']> = new Set([
  'tool-input-available',
  'tool-approval-request',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
])

export type Events = { readonly text: string; readonly last: number }

export class SegmentLog {
  readonly #sql: Sql
  readonly #later: Later
  readonly #flushFailed: (error: unknown) => void
  /** JSON of the chunks after `#stored`. */
  #tail: string[] = []
  #tailBytes = 0
  #stored: number
  /** The segment of the last flush. Null after a restart. */
  #newest: { readonly fromChunk: number; readonly bytes: number } | null = null
  #cancelFlush: (() => void) | null = null

  /** The tables must exist. `flushFailed` is called with the error of a write that the timer started. */
  constructor(sql: Sql, later: Later, flushFailed: (error: unknown) => void) {
    this.#sql = sql
    this.#later = later
    this.#flushFailed = flushFailed
    const row = sql.exec('select max(toChunk) as stored from segment').toArray()[0]
    this.#stored = typeof row?.stored === 'number' ? row.stored : 0
  }

  /** The number of the newest chunk, 0 without chunks. */
  get last(): number {
    return this.#stored + this.#tail.length
  }

  append(chunk: StreamChunk): void {
    const json = JSON.stringify(chunk)
    this.#tail.push(json)
    this.#tailBytes += utf8Bytes(json)
    if (this.#tailBytes >= segmentFlushBytes || toolBoundaries.has(chunk.type)) this.flush()
    else this.#cancelFlush ??= this.#later(segmentFlushMs, () => this.#flushByClock())
  }

  flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = null
    if (this.#tail.length === 0) return
    this.#store(this.#tail.join('\n'))
    this.#stored = this.last
    this.#tail = []
    this.#tailBytes = 0
  }

  #store(lines: string): void {
    const newest = this.#newest
    if (newest && newest.bytes + this.#tailBytes <= segmentFlushBytes) {
      this.#sql.exec(
        'update segment set toChunk = ?, lines = lines || char(10) || ? where fromChunk = ?',
        this.last,
        lines,
        newest.fromChunk,
      )
      this.#newest = { fromChunk: newest.fromChunk, bytes: newest.bytes + this.#tailBytes }
      return
    }
    this.#newest = { fromChunk: this.#stored + 1, bytes: this.#tailBytes }
    this.#sql.exec('insert into segment (fromChunk, toChunk, lines) values (?, ?, ?)', this.#stored + 1, this.last, lines)
  }

  /**
   * The encoded events after chunk `after`: one segment, or all unstored chunks. Null if there is nothing newer. A reader that is far behind
   * calls again, so that its backlog is not held in memory.
   */
  eventsAfter(after: number): Events | null {
    if (after >= this.last) return null
    const lines = after >= this.#stored ? this.#tail.slice(after - this.#stored) : this.#storedLinesAfter(after)
    return { text: lines.map((json, index) => encodeChunk(after + 1 + index, json)).join(''), last: after + lines.length }
  }

  /** The rest of one segment. */
  #storedLinesAfter(after: number): readonly string[] {
    const row = this.#sql.exec('select fromChunk, lines from segment where toChunk > ? order by fromChunk limit 1', after).toArray()[0]
    const { fromChunk, lines } = segmentRow(row)
    return lines.slice(after + 1 - fromChunk)
  }

  /** Every chunk, oldest first. */
  chunks(): StreamChunk[] {
    const stored = this.#sql.exec('select fromChunk, lines from segment order by fromChunk').toArray()
    return [...stored.flatMap((row) => segmentRow(row).lines), ...this.#tail].map((json): StreamChunk => JSON.parse(json))
  }

  #flushByClock(): void {
    this.#cancelFlush = null
    try {
      this.flush()
    } catch (error) {
      this.#flushFailed(error)
    }
  }
}

function segmentRow(row: Record<string, unknown> | undefined): { fromChunk: number; lines: string[] } {
  if (typeof row?.fromChunk !== 'number' || typeof row.lines !== 'string') throw new Error('a stored chunk lies in a segment')
  return { fromChunk: row.fromChunk, lines: row.lines.split('\n') }
}
