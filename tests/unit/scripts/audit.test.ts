// What `npm run check` prints of the report of `npm audit --json`.
import { expect, test } from 'vitest'
import { linesOf } from '../../../scripts/lib/audit.ts'

const advisory = (severity: string, title: string) => ({ source: 1, name: 'parser', title, url: 'https://advisories.example/1', severity })

test('names each high and critical advisory once, and no lower one', () => {
  const vulnerabilities = {
    parser: { name: 'parser', severity: 'critical', via: [advisory('critical', 'Runs code'), advisory('moderate', 'Is slow')] },
    server: { name: 'server', severity: 'critical', via: ['parser'] },
    client: { name: 'client', severity: 'high', via: [advisory('high', 'Leaks memory')] },
  }
  expect(linesOf(JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} }), 'exit code 1')).toEqual([
    'parser: Runs code (critical, https://advisories.example/1)',
    'client: Leaks memory (high, https://advisories.example/1)',
  ])
})

test('prints nothing if the registry knows none', () => {
  expect(linesOf('{"auditReportVersion":2,"vulnerabilities":{},"metadata":{}}', '')).toEqual([])
})

test.each([
  ['refuses the request', '{"message":"405 Method Not Allowed","method":"POST"}', 'exit code 1', '405 Method Not Allowed'],
  ['cannot be reached', '', 'Command failed: npm audit\nnpm error ENOTFOUND', 'Command failed: npm audit'],
])('states that nothing was checked if the registry %s', (_, stdout, failure, reason) => {
  expect(linesOf(stdout, failure)).toEqual([`known vulnerabilities were not checked, because the registry did not answer: ${reason}`])
})
