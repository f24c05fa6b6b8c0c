export default function start(): void {
  throw new Error('the database password is missing');
}
