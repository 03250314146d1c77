// Frames and their decoded messages. Rules: worker/sync/SPEC.md, X1.
import { describe, expect, test } from 'vitest'
import { maxFrameBytes } from '../../../../worker/contract/limits.ts'
import { decodeUp } from '../../../../worker/sync/protocol/up.ts'

const decode = (frame: string | ArrayBuffer) => decodeUp(frame, maxFrameBytes)

const mutation = { type: 'custom', id: 1, clientID: 'c', name: 'a.b', args: [{ x: [1, null] }], timestamp: 5 }
const push = { clientGroupID: 'g', mutations: [mutation], pushVersion: 1, requestID: 'r', timestamp: 5, traceparent: '00-1-2-00' }

describe('[X1] decoding', () => {
  test.each([
    ['a ping', ['ping', {}], ['ping', {}]],
    [
      'a push, without unread fields',
      ['push', push],
      [
        'push',
        {
          clientGroupID: 'g',
          pushVersion: 1,
          requestID: 'r',
          mutations: [{ type: 'custom', id: 1, clientID: 'c', name: 'a.b', args: [{ x: [1, null] }] }],
        },
      ],
    ],
    [
      'a push without mutations',
      ['push', { ...push, mutations: [] }],
      ['push', { clientGroupID: 'g', pushVersion: 1, requestID: 'r', mutations: [] }],
    ],
    [
      'desired queries',
      [
        'changeDesiredQueries',
        { desiredQueriesPatch: [{ op: 'put', hash: 'h', ttl: -1, name: 'n', args: [] }, { op: 'del', hash: 'h' }, { op: 'clear' }] },
      ],
      [
        'changeDesiredQueries',
        { desiredQueriesPatch: [{ op: 'put', hash: 'h', ttl: -1, name: 'n', args: [] }, { op: 'del', hash: 'h' }, { op: 'clear' }] },
      ],
    ],
    [
      'an init with URLs that are not used',
      ['initConnection', { desiredQueriesPatch: [], userPushURL: 'http://x', activeClients: ['a'] }],
      ['initConnection', { desiredQueriesPatch: [], activeClients: ['a'] }],
    ],
    ['an acknowledgement', ['ackMutationResponses', { clientID: 'c', id: 3 }], ['ackMutationResponses', { clientID: 'c', id: 3 }]],
    ['deleted clients', ['deleteClients', { clientIDs: ['a', 'b'], clientGroupIDs: ['g'] }], ['deleteClients', { clientIDs: ['a', 'b'] }]],
    ['the end, as old clients say it', ['closeConnection', []], ['closeConnection', []]],
  ])('%s', (_what, frame, message) => {
    expect(decode(JSON.stringify(frame))).toEqual({ type: 'message', message })
  })

  test.each([
    ['no JSON', 'ping'],
    ['no array', '{"ping":{}}'],
    ['no body', '["ping"]'],
    ['too many parts', '["ping",{},1]'],
    ['a tag of the other direction', '["pokeEnd",{}]'],
    ['a tag that every object has', '["toString",{}]'],
    ['a tag that is none', '[7,{}]'],
    ['a tag that is deep', `[${'['.repeat(200_000)}${']'.repeat(200_000)},{}]`],
    ['a mutation without an id', JSON.stringify(['push', { ...push, mutations: [{ ...mutation, id: undefined }] }])],
    ['a mutation with half an id', JSON.stringify(['push', { ...push, mutations: [{ ...mutation, id: 1.5 }] }])],
    ['1,001 mutations', JSON.stringify(['push', { ...push, mutations: Array.from({ length: 1001 }, () => mutation) }])],
    ['a client that cannot be named', JSON.stringify(['ackMutationResponses', { clientID: '', id: 3 }])],
    ['a client with spaces', JSON.stringify(['ackMutationResponses', { clientID: 'a b', id: 3 }])],
  ])('%s is invalid, with a reason', (_what, frame) => {
    expect(decode(frame)).toEqual({ type: 'invalid', reason: expect.stringMatching(/./) })
  })

  test('bytes are counted, not characters', () => {
    const frame = (chars: number, char: string) => JSON.stringify(['ping', { filler: char.repeat(chars) }])
    expect(decode(frame(maxFrameBytes - 100, 'x')).type).toBe('message')
    expect(decode(frame(maxFrameBytes, 'x')).type).toBe('too-large')
    expect(decode(frame(maxFrameBytes / 2, '字')).type).toBe('too-large')
    expect(decode(new ArrayBuffer(4)).type).toBe('invalid')
  })
})
