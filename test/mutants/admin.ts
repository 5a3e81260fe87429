import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/admin/retry.ts',
    from: 'token !== tokenFor(filter, seqs, deps)',
    to: "typeof token !== 'string'",
    breaks: 'What is put back is what the preview counted, or nothing.',
    killedBy: { 'test/admin/answers.test.ts': 'if another delivery matches since the preview' },
  },
  {
    file: 'src/admin/answer.ts',
    from: "if (!(await visitor.mayAct())) throw new Refused('read_only', 'You may look, and change nothing.')",
    to: '',
    breaks: 'Whoever may only look changes nothing.',
    killedBy: { 'test/admin/answers.test.ts': 'change nothing for whoever may only look' },
  },
  {
    file: 'src/admin/views/customers.ts',
    from: 'customer: revealed ? customer : maskPhone(customer)',
    to: 'customer',
    breaks: 'A customer’s number is masked.',
    killedBy: { 'test/admin/answers.test.ts': 'number, name or text in any view' },
  },
  {
    file: 'src/admin/views/sends.ts',
    from: 'send.ref && maskDigits(send.ref)',
    to: 'send.ref',
    breaks: 'A number within what the app made up is masked.',
    killedBy: { 'test/admin/answers.test.ts': 'number, name or text in any view' },
  },
  {
    file: 'src/inspect/send-view.ts',
    from: 'reason: reveal ? send.reason : maskPhones(send.reason)',
    to: 'reason: send.reason',
    breaks: 'A number within what the service says of a send is masked.',
    killedBy: { 'test/admin/answers.test.ts': 'number, name or text in any view' },
  },
] satisfies Mutant[]
