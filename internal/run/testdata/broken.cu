int main()
{
    return undeclared;
}
