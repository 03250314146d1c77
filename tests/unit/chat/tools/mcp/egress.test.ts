// Which addresses a tool server may have.
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../../../worker/chat/tools/mcp/egress.ts'

const isAllowed = (address: string, isLocalAllowed = false) => isPublicAddress(new URL(address), isLocalAllowed)

describe('[G24] addresses of tool servers', () => {
  test.each([
    'https://mcp.linear.app/mcp',
    'https://mcp.example.org:8443/a?b=c',
    'https://8.8.8.8/mcp',
    'https://172.32.0.1/',
    'https://[2606:4700::1111]/mcp',
    'https://xn--mnchen-3ya.de/',
  ])('%s is public', (address) => expect(isAllowed(address)).toBe(true))

  test.each([
    'http://mcp.linear.app/mcp',
    'ftp://sea.org/',
    'https://user:secret@sea.org/',
    'https://localhost/',
    'https://a.localhost./',
    'https://printer/',
    'https://nas.local/',
    'https://vault.internal/',
    'https://box.home.arpa/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.100.100.200/',
    'https://169.254.169.254/latest/meta-data',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
  ])('%s is not', (address) => expect(isAllowed(address)).toBe(false))

  test('development allows this machine, and nothing else private', () => {
    expect(isAllowed('http://127.0.0.1:3001/mcp', true)).toBe(true)
    expect(isAllowed('http://localhost:3001/mcp', true)).toBe(true)
    expect(isAllowed('http://10.0.0.1/', true)).toBe(false)
    expect(isAllowed('http://sea.org/', true)).toBe(false)
  })
})
