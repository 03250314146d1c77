// Addresses that no tool may ever ask, each in a spelling that somebody has used to get past a check. Hosts are combined with the ways to
// write an address around them; schemes, ports and credentials have lists of their own.

// biome-ignore format: a table is read by its rows
const privateHosts = [
  // loopback, in every base and length
  '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.0.0.1', '0x7f.1', '0177.0.0.1', '0177.1',
  '017700000001', '0x7F.0x0.0x0.0x1', '127.0.0.01', '0', '0.0.0.0', '0x0', '00.0.0.0',
  // the same behind percent signs, full-width letters and other digits
  '%31%32%37.0.0.1', '１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '127．0．0．1', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'LOCALHOST', 'localhost.', 'localhost', 'sub.localhost', 'ｌocalhost',
  // private networks
  '10.0.0.1', '10.255.255.255', '167772161', '0xa000001', '012.0.0.1', '10.1', '172.16.0.1', '172.31.255.255', '2886729729', '0xac100001',
  '192.168.0.1', '192.168.1.254', '3232235521', '0xc0a80001', '0300.0250.0.1', '192.168.257',
  // link-local and the clouds' metadata
  '169.254.169.254', '2852039166', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE', '0251.0376.0251.0376', '169.254.43518', '169.16689662', '169.254.170.2',
  'metadata.google.internal', 'METADATA.GOOGLE.INTERNAL.', 'metadata', 'instance-data', 'instance-data.ec2.internal',
  // carrier-grade NAT, benchmarks, documents, protocol assignments, multicast, reserved, broadcast
  '100.64.0.1', '100.127.255.254', '100.100.100.200', '198.18.0.1', '198.19.255.254', '192.0.0.1', '192.0.0.170', '192.0.2.1', '198.51.100.7', '203.0.113.9',
  '192.88.99.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295',
  // IPv6: loopback, unspecified, mapped, compatible, NAT64, 6to4, Teredo
  '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]', '[::ffff:8.8.8.8]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:c0a8:1::1]', '[2001:0:7f00:1::]', '[2001::1]', '[2001:db8::1]', '[3fff::1]',
  // IPv6: unique-local, link-local, site-local, multicast, discard
  '[fc00::1]', '[fd00::1]', '[fd12:3456:789a::1]', '[fd00:ec2::254]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[ff0e::1]', '[100::1]',
  '[5f00::1]', '[4000::1]',
  // names that only a network of one's own answers for, and Workers
  'router', 'intranet', 'db', 'printer.local', 'nas.lan', 'app.internal', 'wiki.corp', 'fritz.home', 'hub.home.arpa', 'x.localdomain', 'a.test',
  'b.invalid', 'c.example', 'd.onion', '1.0.0.127.in-addr.arpa', 'parley.someone.workers.dev', 'x.pages.dev', 'WORKERS.DEV',
  // our own
  'chat.elsewhere.app', 'api.chat.elsewhere.app', 'chat.parley.app', 'CHAT.PARLEY.APP', 'chat.parley.app.', 'api.chat.parley.app', 'ｃhat.parley.app', 'chat。parley。app',
] as const

// biome-ignore format: a table is read by its rows
const otherSchemes = [
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'gopher://example.com/1',
  'ftp://example.com/',
  'dict://example.com:11211/',
  'ldap://example.com/',
  'data:text/html,hello',
  'javascript:alert(1)',
  'blob:https://example.com/x',
  'ws://example.com/',
  'wss://example.com/',
  'jar:http://example.com!/',
  'about:blank',
  'view-source:https://example.com',
  'chrome://settings',
  'mailto:a@example.com',
  'tftp://example.com/',
  'ssh://example.com/',
  '//example.com/',
  '/relative',
  'example',
  'http://',
  'http:///',
  'https://?',
  'http://[',
  'http://[::1',
  'http://%zz/',
  'http://exa mple.com/',
  'http://1.2.3.4.5/',
  'http://256.256.256.256/',
  'http://0x100000000/',
  '',
] as const

const badPorts = [22, 25, 81, 443, 3000, 3306, 5432, 6379, 8080, 8787, 9200, 11211, 65535]
  .filter((port) => port !== 443)
  .flatMap((port) => [`http://wikipedia.org:${port}/`, `https://wikipedia.org:${port}/`])

// biome-ignore format: a table is read by its rows
const withCredentials = [
  'https://user@wikipedia.org/',
  'https://user:secret@wikipedia.org/',
  'https://:secret@wikipedia.org/',
  'https://wikipedia.org@127.0.0.1/',
  'https://wikipedia.org%40127.0.0.1/',
  'https://wikipedia.org:443@10.0.0.1/',
  'http://127.0.0.1#@wikipedia.org/',
  'http://127.0.0.1?@wikipedia.org/',
  'http://127.0.0.1\\@wikipedia.org/',
  'http:\\\\127.0.0.1\\',
  'http://wikipedia.org\t@127.0.0.1/',
  'http:127.0.0.1/',
  'http:/127.0.0.1/',
  ' http://127.0.0.1/ ',
] as const

/** The host of PUBLIC_URL in these tests, and one by which a browser came. */
export const ownHosts = ['chat.parley.app', 'Chat.elsewhere.app'] as const

export const privateUrls: readonly string[] = [
  ...privateHosts.flatMap((host) => [`http://${host}/`, `https://${host}/latest/meta-data?x=1`, `http://${host}:80/#wikipedia.org`]),
  ...otherSchemes,
  ...badPorts,
  ...withCredentials,
]

// biome-ignore format: a table is read by its rows
export const publicUrls = [
  'https://wikipedia.org/',
  'http://wikipedia.org/',
  'https://en.wikipedia.org/wiki/Tide?x=1#top',
  'http://wikipedia.org:80/',
  'https://wikipedia.org:443/',
  'http://wikipedia.org:443/',
  'https://8.8.8.8/',
  'https://1.1.1.1/',
  'https://172.15.0.1/',
  'https://172.32.0.1/',
  'https://100.63.0.1/',
  'https://100.128.0.1/',
  'https://11.0.0.1/',
  'https://169.253.0.1/',
  'https://192.167.1.1/',
  'https://198.17.0.1/',
  'https://223.255.255.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[2a00:1450:4001:81b::200e]/',
  'https://[2620:fe::fe]/',
  'https://münchen.de/',
  'https://例え.jp/',
  'https://xn--mnchen-3ya.de/',
  'https://notlocalhost.com/',
  'https://localhost.com/',
  'https://internal.company.com/',
  'https://parley.app/',
  'https://evilchat.parley.application.com/',
  'https://my_host.wikipedia.org/',
  'https://wikipedia.org./',
] as const
