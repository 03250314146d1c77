/** What a server suggests for an argument while the user types. Without an answer, the field is a plain one. */
import { useEffect, useRef, useState } from 'react'
import type { ServerSuggestions } from '../../../../../worker/contract/http.ts'
import { callServers, idPath } from '../../../../lib/tool-servers/server-calls.ts'
import type { ServerChoice } from './server-choice.ts'

type Values = { readonly [name: string]: string }
type Asked = { readonly name: string; readonly values: Values }

/** Chosen: shorter than a pause to think, longer than between two key presses. */
export const suggestionPauseMs = 300

export type Suggestions = {
  /** The user has entered the field, or changed it. Sends one request after a pause. */
  ask(asked: Asked): void
  close(): void
}

/** Requests one after the other, each for the newest value. Stops for good after a failure, or if the server never suggests values. */
export function createSuggestions(
  request: (asked: Asked) => Promise<ServerSuggestions>,
  show: (name: string, values: readonly string[]) => void,
): Suggestions {
  let wanted: Asked | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isClosed = false
  const send = async () => {
    if (isBusy || isClosed || wanted === null) return
    const asked = wanted
    wanted = null
    isBusy = true
    const found = await request(asked).catch(() => null)
    isBusy = false
    if (found === null) isClosed = true
    if (isClosed) return
    show(asked.name, found?.values ?? [])
    void send()
  }
  return {
    ask(asked) {
      clearTimeout(timer)
      wanted = asked
      timer = setTimeout(() => void send(), suggestionPauseMs)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function askServer(
  serverId: string,
  of: { readonly kind: ServerChoice['kind']; readonly key: string },
  { name, values: { [name]: value = '', ...args } }: Asked,
) {
  const outcome = await callServers('POST', idPath(serverId, 'suggestions'), { ...of, argument: { name, value }, args })
  return (outcome.ok && outcome.body.suggestions) || null
}

/** The suggestions for each argument of a form. */
export function useSuggestions({ server, kind, entry }: ServerChoice) {
  const [found, setFound] = useState<{ readonly [name: string]: readonly string[] }>({})
  const ref = useRef<Suggestions>(null)
  const key = kind === 'resource' ? entry.uri : entry.name
  useEffect(() => {
    const suggestions = createSuggestions(
      (asked) => askServer(server.id, { kind, key }, asked),
      (name, values) => setFound((before) => ({ ...before, [name]: values })),
    )
    ref.current = suggestions
    return () => suggestions.close()
  }, [server.id, kind, key])
  return { found, ask: (asked: Asked) => ref.current?.ask(asked) }
}
